"""The calls that are compared: by subject, name and snippet.  They are what PyBoy's documentation shows, in our words."""
# ruff: noqa: E501 (a table of snippets, one a line)

from typing import Final

CALLS: Final[dict[str, dict[str, str]]] = {
    "construction": {
        "path": "q = make(); out = [q.tick(5), q.frame_count, q.cartridge_title, q.gamerom == rom]",
        "pathlib.Path": "import pathlib; q = make(gamerom=pathlib.Path(rom)); out = [q.tick(70), q.screen.ndarray]",
        "binary file": "q = make(gamerom=open(rom, 'rb')); out = [q.tick(70), q.gamerom, q.memory[0xC000:0xC100]]",
        "BytesIO": "q = make(gamerom=io.BytesIO(open(rom, 'rb').read())); out = [q.tick(70), q.memory[0xFF80:0xFFFF]]",
        "cgb=True": "q = start(rom, True); q.tick(90); out = q.screen.ndarray",
        "cgb=False": "q = make(cgb=False); q.tick(90); out = q.screen.ndarray",
        "boot ROM decides": "q = make(bootrom=boot_rom.replace('dmg', 'cgb')); q.tick(90); out = q.screen.ndarray",
        "PyBoy's color boot ROM": "q = make(cgb=True, bootrom=boot_rom.replace('dmg', 'cgb')); q.tick(90); out = q.frame_count",
        "colors by default": "d = bytearray(open(rom, 'rb').read()); d[0x143] = 0x80; d[0x14D] = -(sum(d[0x134:0x14D]) + 25) & 255; "
        "q = start(io.BytesIO(d)); q.tick(150); out = [q.screen.ndarray, q.memory[0x8000:0xA000], q.sound.ndarray, q._cycles()]",
        "color_palette": "q = make(color_palette=(0x9BBC0F, 0x8BAC0F, 0x306230, 0x0F380F)); q.tick(90); out = q.screen.ndarray",
        "cgb_color_palette": "q = make(bootrom=boot_rom.replace('dmg', 'cgb'), cgb_color_palette=[(1, 2, 3, 4)] * 3); "
        "q.tick(90); out = q.screen.ndarray",
        "sound_emulated=False": "q = make(sound_emulated=False); q.tick(90); out = q.memory[0xFF10:0xFF40]",
        "sound_sample_rate": "q = make(sound_sample_rate=24000); q.tick(90); "
        "out = [q.sound.sample_rate, q.sound.raw_buffer_length, q.sound.ndarray]",
        "sound_sample_rate 44100": "q = make(sound_sample_rate=44100); q.tick(90); out = q.sound.ndarray",
        "sound_volume": "q = make(sound_volume=30); q.tick(90); out = q.sound.ndarray",
        "sound_volume out of range": "make(sound_volume=101)",
        "sound_sample_rate 0": "make(sound_sample_rate=0)",
        "gameshark": "q = make(gameshark='01FFA0C0'); q.tick(90); out = q.memory[0xC0A0]",
        "no_input": "q = make(no_input=True); q.button('start'); out = [q.tick(90), q.memory[0xC0A0:0xC0B0]]",
        "log_level": "out = [make(log_level=level).tick(2) for level in ('ERROR', 'CRITICAL')]",
        "unknown log_level": "make(log_level='LOUD')",
        "title_status": "out = make(title_status=True).tick(3)",
        "symbols=": "open('other.sym', 'w').write('00:0150 there'); q = make(symbols='other.sym'); "
        "out = [q.symbol_lookup('there'), q.symbol_lookup('on_vblank')]",
        "symbols that are not there": "make(symbols='nowhere.sym')",
        "window='headless'": "out = make(window='headless').tick(2)",
        "window='dummy'": "out = make(window='dummy').tick(2)",
        "unknown window": "make(window='CURSES')",
        "window='GLFW'": "make(window='GLFW')",
        "unknown argument": "make(colour=True)",
        "no ROM": "PyBoy(None)",
        "ROM that is not there": "PyBoy('nowhere.gb', window='null')",
        "ROM of another type": "PyBoy(5, window='null')",
        "empty ROM": "PyBoy(io.BytesIO(b''), window='null')",
        "cut ROM": "PyBoy(io.BytesIO(open(rom, 'rb').read()[:20000]), window='null')",
        "ROM with a wrong checksum": "d = bytearray(open(rom, 'rb').read()); d[0x134] ^= 1; PyBoy(io.BytesIO(d), window='null')",
        "boot ROM that is not there": "make(bootrom='nowhere.bin')",
        "sgb_border": "make(sgb_border=True)",
        "rewind": "make(rewind=True)",
        "context manager": "with make(gamerom=io.BytesIO(open(rom, 'rb').read())) as q: out = q.tick(3)",
    },
    "time": {
        "tick()": "out = [p.tick(), p.frame_count]",
        "tick(0)": "out = [p.tick(0), p.frame_count]",
        "what a console says of itself": "out = [p.sgb_border, p.paused, p.title_status, p.window_title, p.gamerom == rom]",
        "tick(60)": "out = [p.tick(60), p.frame_count, p.screen.ndarray]",
        "tick(60, False)": "before = p.screen.ndarray.copy(); out = [p.tick(60, False), (before == p.screen.ndarray).all()]",
        "tick(render=, sound=)": "out = [p.tick(3, render=True, sound=False), p.sound.raw_buffer_head]",
        "tick(2.7)": "out = [p.tick(2.7), p.frame_count]",
        "tick(True)": "out = [p.tick(True), p.frame_count]",
        "tick(-1)": "p.tick(-1)",
        "tick('a')": "p.tick('a')",
        "tick(2 ** 70)": "p.tick(2 ** 70)",
        "frame by frame": "out = []\nfor _ in range(30): p.tick(1, True); out.append(p.screen.ndarray.copy())",
        "_cycles": "p.tick(7); out = p._cycles()",
        "set_emulation_speed": "p.set_emulation_speed(0); out = p.tick(5)",
        "set_emulation_speed paces": "import time; p.set_emulation_speed(5); t = time.perf_counter(); p.tick(1); p.tick(1); "
        "p.tick(1)\nfor _ in range(20): p.tick()\nout = time.perf_counter() - t > 0.05",
        "stop": "p.stop(False); out = p.stopped if hasattr(p, 'stopped') else True",
        "stop twice": "p.stop(False); out = p.stop(False)",
        "tick after stop": "p.stop(False); p.tick()",
        "frame_count": "p.tick(11); p.tick(3, False); out = p.frame_count",
    },
    "input": {
        "button": "p.button('start'); p.tick(3); out = p.memory[0xC0A0:0xC0B0]",
        "button, delayed": "p.button('start', 5); out = []\nfor _ in range(8): p.tick(); out.append(p.memory[0xFF00])",
        "button, upper case": "p.button('START'); p.tick(5); out = p.memory[0xC000:0xC200]",
        "button, delay 0": "p.button('start', 0); p.tick(30); out = p.memory[0xC000:0xC200]",
        "button, negative delay": "p.button('start', -1)",
        "button, fraction": "p.button('start', 'soon')",
        "unknown button": "p.button('turbo')",
        "button of another type": "p.button(3)",
        "button_press and release": "p.button_press('start'); p.tick(4); p.button_release('start'); p.tick(40); "
        "p.button_press('left'); p.tick(9); out = [p.memory[0xC0A4], p.memory[0xFF00]]",
        "unknown button_press": "p.button_press('')",
        "every button": "out = []\nfor name in 'right left up down a b select start'.split():\n"
        " p.button(name); p.tick(2); out.append(p.memory[0xC000:0xC200])",
        "send_input": "p.send_input(WindowEvent.PRESS_BUTTON_START); p.tick(2); "
        "p.send_input(WindowEvent.RELEASE_BUTTON_START); p.tick(60); out = p.memory[0xC000:0xC200]",
        "send_input, delayed": "p.send_input(WindowEvent.PRESS_BUTTON_START, 3); p.send_input(WindowEvent.RELEASE_BUTTON_START, 6)"
        "\nout = []\nfor _ in range(9): p.tick(); out.append(p.memory[0xC0A0])",
        "two events of one frame": "p.send_input(WindowEvent.PRESS_ARROW_LEFT, 2); p.send_input(WindowEvent.PRESS_BUTTON_A, 2); "
        "p.tick(4); out = p.memory[0xC000:0xC200]",
        "send_input of a number": "p.send_input(8); p.tick(9); out = p.memory[0xC000:0xC200]",
        "send_input of no event": "p.send_input('start')",
        "events": "p.send_input(WindowEvent.PASS); p.send_input(WindowEvent.PRESS_BUTTON_A); out = list(map(int, p.events))",
        "pause": "p.send_input(WindowEvent.PAUSE); p.tick(5); out = [p.paused, p.frame_count]",
        "unpause": "p.send_input(WindowEvent.PAUSE); p.tick(5); p.send_input(WindowEvent.UNPAUSE); p.set_emulation_speed(0); "
        "p.tick(5); out = [p.paused, p.frame_count]",
        "pause toggle": "p.send_input(WindowEvent.PAUSE_TOGGLE); p.tick(); p.send_input(WindowEvent.PAUSE_TOGGLE); "
        "p.set_emulation_speed(0); p.tick(2); out = p.frame_count",
        "quit": "p.send_input(WindowEvent.QUIT); out = [p.tick(), p.frame_count]",
        "palettes in turn": "out = []\nfor _ in range(6): p.send_input(WindowEvent.CYCLE_PALETTE); p.tick(2); "
        "out.append(p.screen.ndarray.copy())",
        "state beside the ROM": "p.send_input(WindowEvent.STATE_SAVE); p.tick(); p.tick(30); p.send_input(WindowEvent.STATE_LOAD); "
        "p.tick(); out = [os.path.exists(rom + '.state'), p.memory[0xC000:0xC200]]",
        "WindowEvent": "out = [[name, int(getattr(WindowEvent, name))] for name in "
        "('QUIT', 'PRESS_ARROW_UP', 'RELEASE_BUTTON_START', 'PASS', 'CYCLE_PALETTE', 'DEBUG_GAME_AREA_TOGGLE')]",
        "WindowEvent(5)": "out = [str(WindowEvent(5)), int(WindowEvent(5)), WindowEvent(5) == WindowEvent.PRESS_BUTTON_A]",
        "rewind event": "p.send_input(WindowEvent.PRESS_REWIND_BACK)",
        "screenshot event": "p.send_input(WindowEvent.SCREENSHOT_RECORD)",
    },
    "memory": {
        "address": "out = [p.memory[a] for a in (0, 0x150, 0x4000, 0x8010, 0xA000, 0xC0A0, 0xE0A0, 0xFE00, 0xFEA0, 0xFF40, 0xFFFF)]",
        "slice": "out = p.memory[0x0000:0x0010]",
        "large slice": "out = p.memory[0x8000:0xA000]",
        "ports": "out = p.memory[0xFF00:0xFF80]",
        "slice with a step": "out = [p.memory[0xC000:0xC010:4], p.memory[0:5:2], p.memory[0:10:3]]",
        "address below 0": "out = [p.memory[-1], p.memory[0x10000]]",
        "address 2 ** 70": "p.memory[2 ** 70]",
        "address of another type": "p.memory['a']",
        "slice without start": "p.memory[:5]",
        "slice without end": "p.memory[5:]",
        "slice backwards": "p.memory[5:3]",
        "empty slice": "p.memory[5:5]",
        "negative step": "p.memory[0:5:-1]",
        "slice beyond the end": "p.memory[0:0x10001]",
        "bank of ROM": "out = [p.memory[0, 0x150], p.memory[1, 0x4000], p.memory[1, 0x7000]]",
        "slice of a bank": "out = [p.memory[0, 0x150:0x160], p.memory[1, 0x4000:0x4100], p.memory[0, 0:0x10:3]]",
        "boot ROM": "out = [p.memory[-1, 0], p.memory[-1, 0x10:0x80]]",
        "bank of video RAM": "out = p.memory[0, 0x8000:0x8100]",
        "bank of cartridge RAM": "out = p.memory[0, 0xA000:0xA010]",
        "bank of work RAM": "out = [p.memory[0, 0xC0A0:0xC0B0], p.memory[0, 0xD000]]",
        "bank of work RAM without color": "p.memory[1, 0xD000]",
        "bank of video RAM without color": "p.memory[1, 0x8000]",
        "bank out of range": "p.memory[99, 0]",
        "bank of high RAM": "p.memory[0, 0xFF80]",
        "bank's last byte": "p.memory[0, 0x3FF0:0x4000]",
        "bank of another type": "p.memory['a', 0]",
        "three keys": "p.memory[0, 1, 2]",
        "len": "len(p.memory)",
        "iteration": "list(p.memory)",
        "write": "p.memory[0xC000] = 123; out = p.memory[0xC000]",
        "write to a slice": "p.memory[0xC000:0xC00A] = list(range(10)); out = p.memory[0xC000:0xC00A]",
        "write one value": "p.memory[0xC010:0xC01A] = 7; out = p.memory[0xC010:0xC01A]",
        "write bytes": "p.memory[0xC010:0xC013] = b'abc'; out = p.memory[0xC010:0xC013]",
        "write an array": "p.memory[0xC010:0xC013] = np.array([1, 2, 3], np.uint8); out = p.memory[0xC010:0xC013]",
        "write a NumPy number": "p.memory[0xC010] = np.uint8(9); out = p.memory[0xC010]",
        "write a range": "p.memory[0xC010:0xC013] = range(3); out = p.memory[0xC010:0xC013]",
        "write a fraction": "p.memory[0xC010] = 2.5; out = p.memory[0xC010]",
        "write 256": "p.memory[0xC000] = 256",
        "write -1": "p.memory[0xC000] = -1",
        "write text": "p.memory[0xC000] = 'a'",
        "write None": "p.memory[0xC000] = None",
        "write a wrong length": "p.memory[0xC000:0xC003] = [1, 2]",
        "write to DIV": "p.memory[0xFF04] = 123; out = p.memory[0xFF04]",
        "write to ports": "p.memory[0xFF47] = 0x1B; p.tick(2); out = p.screen.ndarray",
        "write to ROM": "p.memory[0x1000] = 12; out = p.memory[0x1000]",
        "patch ROM": "p.memory[0, 0x0010] = 10; out = [p.memory[0, 0x0010], p.memory[0x0010]]",
        "patch a slice of ROM": "p.memory[0, 0x0010:0x001A] = list(range(10)); out = p.memory[0x10:0x1A]",
        "patch bank 1": "p.memory[1, 0x6000] = 12; out = [p.memory[1, 0x6000], p.memory[0x6000]]",
        "patch to a bank's end": "p.memory[1, 0x7FF0:0x8000] = 1; out = p.memory[0x7FF0:0x8000]",
        "patch the boot ROM": "p.memory[-1, 0x10] = 10; out = p.memory[-1, 0x10]",
        "patched code runs": "bank, at = p.symbol_lookup('_start_game'); p.memory[bank, at] = 0xC9; p.button('start'); p.tick(30); "
        "out = p.memory[0xC0A0:0xC0B0]",
        "write to a bank of RAM": "p.memory[0, 0xA005] = 3; p.memory[0, 0xC005] = 4; p.memory[0, 0x8005] = 5; "
        "out = [p.memory[0, 0xA005], p.memory[0xC005], p.memory[0x8005]]",
        "write to a bank of high RAM": "p.memory[0, 0xFF80] = 1",
        "patch a bank out of range": "p.memory[99, 0x100] = 1",
        "patch with 256": "p.memory[0, 0x100] = 256",
        "symbol as key": "out = [p.memory[p.symbol_lookup('_start_game')], p.memory[p.symbol_lookup('on_vblank')]]",
    },
    "registers": {
        "read": "p.tick(9); r = p.register_file; out = [r.A, r.F, r.B, r.C, r.D, r.E, r.HL, r.SP, r.PC]",
        "write": "r = p.register_file; r.A = 0x11; r.B = 300; r.F = 0xFF; r.HL = 0x12345; r.SP = -2; "
        "out = [r.A, r.B, r.F, r.HL, r.SP]",
        "write text": "p.register_file.A = 'a'",
        "jump in a hook": "def jump(q): q.register_file.PC = 0x0050 if q.memory[0x50] == 0xD9 else q.register_file.PC\n"
        "p.hook_register(0, 0x40, jump, p); p.tick(3); out = p.register_file.PC",
    },
    "hooks": {
        "by address": "out = []; p.hook_register(0, 0x40, out.append, 'vblank'); p.tick(3)",
        "by symbol": "out = []; p.hook_register(None, '_start_game', out.append, 'start'); p.button('start'); p.tick(30)",
        "many times a frame": "out = []; p.hook_register(None, '_random', lambda c: out.append(p._cycles()), 0); "
        "p.button('start'); p.tick(240)",
        "several": "out = []\nfor name in ('on_vblank', '_start_game', '_random', '_place_objects', '_show_title'):\n"
        " p.hook_register(None, name, out.append, name)\np.button('start'); p.tick(200)",
        "frame and registers inside": "out = []; p.hook_register(0, 0x40, lambda q: out.append([q.frame_count, q.register_file.PC, "
        "q.register_file.SP, q._cycles()]), p); p.tick(4); p.tick(3, False)",
        "context is handed on": "box = {}; p.hook_register(0, 0x40, lambda c: c.update(n=c.get('n', 0) + 1), box); p.tick(5); out = box",
        "memory inside": "out = []; p.hook_register(None, '_random', lambda q: out.append(q.memory[0xC0A0:0xC0B0]), p); "
        "p.button('start'); p.tick(90)",
        "writing inside": "p.hook_register(0, 0x40, lambda q: q.memory.__setitem__(0xC0A4, 8), p); p.button('start'); p.tick(60); "
        "out = p.screen.ndarray",
        "the opcode is exchanged": "p.hook_register(0, 0x40, print, 0); out = [p.memory[0x40], p.memory[0, 0x40]]",
        "not while it runs": "out = []; p.hook_register(0, 0x40, lambda q: out.append(q.memory[0x40]), p); p.tick(2)",
        "deregister": "out = []; p.hook_register(0, 0x40, out.append, 1); p.tick(2); p.hook_deregister(0, 0x40); p.tick(2)",
        "deregister by symbol": "p.hook_register(None, '_random', print, 0); p.hook_deregister(None, '_random'); out = p.memory[p.symbol_lookup('_random')]",
        "the picture is the same with hooks": "p.hook_register(None, '_random', id, 0); p.hook_register(0, 0x40, id, 0); "
        "p.button('start'); p.tick(150); out = [p.screen.ndarray, p.memory[0xC000:0xE000], p._cycles(), p.sound.ndarray]",
        "boot ROM": "q = make(); out = []; q.hook_register(-1, 0xFC, lambda c: c.append(q.register_file.A), out); q.tick(70)",
        "leave the boot ROM early": "q = make()\ndef leave(c):\n q.memory[0xFF50] = 1; q.register_file.A = 1; q.register_file.PC = 0x100\n"
        "q.hook_register(-1, 0x03, leave, 0); q.tick(40); out = [q.memory[0xC000:0xC200], q._cycles()]",
        "work RAM": "p.memory[0xC400:0xC403] = [0, 0, 0xC9]; out = []; p.hook_register(0, 0xC401, out.append, 'ram')\n"
        "def go(q): q.register_file.SP -= 2; q.memory[q.register_file.SP] = 0x40; q.memory[q.register_file.SP + 1] = 0; "
        "q.register_file.PC = 0xC400; q.hook_deregister(0, 0x41) if False else None\n"
        "p.hook_register(None, '_random', lambda c: None, 0); p.tick(3)",
        "a second one": "p.hook_register(0, 0x40, print, 0); p.hook_register(0, 0x40, print, 0)",
        "deregister none": "p.hook_deregister(0, 0x41)",
        "unknown symbol": "p.hook_register(None, 'nowhere', print, 0)",
        "symbol with a bank": "p.hook_register(0, '_random', print, 0)",
        "high RAM": "p.hook_register(0, 0xFF80, print, 0)",
        "a callback that raises": "n = []\ndef fail(c): n.append(1); raise ValueError\n"
        "p.hook_register(0, 0x40, fail, 0); out = [p.tick(3), len(n)]",
        "symbol_lookup": "out = [p.symbol_lookup('_start_game'), p.symbol_lookup('on_vblank')]",
        "unknown symbol_lookup": "p.symbol_lookup('nowhere')",
        "rom_symbols": "out = sorted(p.rom_symbols[0].items())[:20]",
    },
    "screen": {
        "ndarray": "out = [p.screen.ndarray, p.screen.ndarray.flags.writeable]",
        "ndarray is live": "a = p.screen.ndarray; p.button('start'); p.tick(60); out = [a, a is p.screen.ndarray]",
        "image": "out = p.screen.image",
        "image is live": "i = p.screen.image; p.button('start'); p.tick(60); out = [i is p.screen.image, i.getpixel((80, 70))]",
        "image saved": "p.screen.image.save('a.png'); p.tick(); out = p.screen.image.resize((320, 288)).getpixel((4, 4))",
        "raw_buffer": "out = [bytes(p.screen.raw_buffer), p.screen.raw_buffer_dims, p.screen.raw_buffer_format]",
        "raw_buffer as array": "out = np.frombuffer(p.screen.raw_buffer, np.uint8).reshape(144, 160, 4)",
        "not drawn": "p.button('start'); p.tick(60, False); out = p.screen.ndarray",
        "LCD off": "p.memory[0xFF40] = 0; p.tick(2, False); out = [p.screen.ndarray, p.screen.tilemap_position_list[3]]",
        "tilemap_position_list": "p.memory[0xFF43] = 9; p.memory[0xFF4A] = 3; p.tick(2); out = p.screen.tilemap_position_list",
        "get_tilemap_position": "p.memory[0xFF42] = 5; p.memory[0xFF4B] = 90; out = p.screen.get_tilemap_position()",
        "set_color_palette": "p.set_color_palette((0x9BBC0F, 0x8BAC0F, 0x306230, 0x0F380F)); p.tick(2); out = p.screen.ndarray",
        "set_color_palette of three": "p.set_color_palette((1, 2, 3))",
        "set_color_palette, color": "start(rom, True).set_color_palette((1, 2, 3, 4))",
        "drawn over": "p.screen.ndarray[:] = 9; p.tick(2); out = p.screen.ndarray",
    },
    "sound": {
        "ndarray": "p.button('start'); out = []\nfor _ in range(90): p.tick(); out.append(p.sound.ndarray.copy())",
        "raw_buffer": "p.button('start'); p.tick(50); s = p.sound; out = [bytes(s.raw_buffer[:s.raw_buffer_head]), "
        "s.raw_buffer_head, s.raw_buffer_length, s.raw_buffer_format, s.raw_buffer_dims, s.sample_rate]",
        "only the last frame": "p.button('start'); p.tick(24); out = p.sound.ndarray.shape",
        "not sampled": "p.tick(1, True, False); out = [p.sound.ndarray.shape, p.sound.raw_buffer_head]",
        "sampled now and then": "p.button('start'); out = []\nfor f in range(60): p.tick(1, False, f % 7 == 3); "
        "out.append(p.sound.ndarray.copy())",
        "without sound": "make(sound_emulated=False).sound.ndarray",
        "raw without sound": "make(sound_emulated=False).sound.raw_ndarray[0]",
    },
    "sprites and tiles": {
        "get_sprite": "p.button('start'); p.tick(60); out = [p.get_sprite(i) for i in range(40)]",
        "sprite's fields": "p.button('start'); p.tick(60); s = p.get_sprite(0); out = [s.x, s.y, s.tile_identifier, s.shape, "
        "s.on_screen, s.sprite_index, s.attr_x_flip, s.attr_y_flip, s.attr_obj_bg_priority, s.attr_palette_number, s.attr_cgb_bank_number]",
        "sprites' tiles": "p.button('start'); p.tick(60); out = [t.ndarray() for i in range(8) for t in p.get_sprite(i).tiles]",
        "equal sprites": "out = [p.get_sprite(1) == p.get_sprite(1), p.get_sprite(1) == p.get_sprite(2)]",
        "sprite 40": "p.get_sprite(40)",
        "sprite -1": "p.get_sprite(-1)",
        "by tile": "p.button('start'); p.tick(60); out = p.get_sprite_by_tile_identifier(list(range(20)))",
        "by tile, anywhere": "out = p.get_sprite_by_tile_identifier([0, 1, 2], on_screen=False)",
        "tall sprites": "p.memory[0xFF40] = p.memory[0xFF40] | 4; out = [p.get_sprite(0), p.get_sprite(0).tiles]",
        "get_tile": "out = [p.get_tile(i).ndarray() for i in range(0, 384, 7)]",
        "tile's fields": "t = p.get_tile(300); out = [t.tile_identifier, t.data_address, t.vram_bank, t.shape, t.raw_buffer_format, repr(t)]",
        "tile's image": "out = p.get_tile(1).image()",
        "equal tiles": "out = [p.get_tile(1) == p.get_tile(1), p.get_tile(1) == p.get_tile(2)]",
        "tile 384": "p.get_tile(384)",
        "tile 700 on color": "q = start(rom, True); q.tick(90); out = [q.get_tile(700).ndarray(), "
        "q.get_tile(700).vram_bank]",
    },
    "tile maps": {
        "place": "out = [p.tilemap_background[8, 8], p.tilemap_window[8, 8]]",
        "column": "out = p.tilemap_background[3]",
        "slice": "out = [p.tilemap_background[7:12, 8], p.tilemap_background[7, 8:11], p.tilemap_background[7:12, 8:11]]",
        "all": "out = [p.tilemap_background[:, :], p.tilemap_window[:, :]]",
        "step": "out = p.tilemap_background[0:20:5, ::9]",
        "empty": "out = [p.tilemap_background[5:5, 3], p.tilemap_background[5:5, 0:2]]",
        "tile": "out = p.tilemap_background.tile(3, 4)",
        "tile_identifier": "out = p.tilemap_background.tile_identifier(3, 4)",
        "tile objects": "p.tilemap_background.use_tile_objects(True); out = [p.tilemap_background[0, 0], p.tilemap_background[0:3, 0:2]]",
        "search": "out = p.tilemap_background.search_for_identifiers([p.tilemap_background[8, 8], 1, 383])",
        "shape and text": "out = [p.tilemap_background.shape, repr(p.tilemap_background)]",
        "other map, signed": "p.memory[0xFF40] = p.memory[0xFF40] ^ 0x58; out = [p.tilemap_background[:, :], p.tilemap_window[:, :]]",
        "column 32": "p.tilemap_background[32, 0]",
        "column -1": "p.tilemap_background[-1, 0]",
        "slice beyond the map": "p.tilemap_background[0:40, 0]",
        "slice backwards": "p.tilemap_background[5:3, 0]",
        "text as column": "p.tilemap_background['a', 0]",
    },
    "game area": {
        "game_area": "out = p.game_area()",
        "with sprites": "p.button('start'); p.tick(60); out = p.game_area()",
        "dimensions": "p.game_area_dimensions(2, 2, 10, 16, False); out = [p.game_wrapper.shape, p.game_area()]",
        "dimensions with sprites": "p.button('start'); p.tick(60); p.game_area_dimensions(4, 3, 12, 15, False); out = p.game_area()",
        "follows scrolling": "p.memory[0xFF43] = 21; p.memory[0xFF42] = 50; p.tick(2); p.game_area_dimensions(0, 0, 20, 18, True); "
        "out = p.game_area()",
        "wraps around": "p.memory[0xFF43] = 200; p.tick(2); p.game_area_dimensions(10, 0, 20, 18, True); out = p.game_area()",
        "mapping": "p.game_area_mapping([x // 2 for x in range(384)], 1000); p.button('start'); p.tick(60); out = p.game_area()",
        "mapping back": "p.game_area_mapping([0] * 384, 5); p.game_area_mapping(None); p.tick(); out = p.game_area()",
        "mapping_one_to_one": "out = p.game_wrapper.mapping_one_to_one",
        "read once a tick": "a = p.game_area(); p.memory[0x9800:0x9820] = 3; b = p.game_area(); p.tick(1, False); out = [a, b, p.game_area()]",
        "a mapping of two": "p.game_area_mapping([1, 2])",
        "a tuple": "p.game_area_mapping((1,) * 384)",
        "negative values": "p.game_area_mapping([-1] * 384)",
        "an offset of another type": "p.game_area_mapping(None, 'a')",
        "beyond the map": "p.game_area_dimensions(20, 0, 20, 30, False); p.game_area()",
        "window": "p.game_wrapper.use_background(False); out = p.game_area()",
        "wrapper's text": "out = repr(p.game_wrapper)",
        "start_game and reset_game": "w = p.game_wrapper; w.start_game(timer_div=7); p.tick(30); w.reset_game(timer_div=9); "
        "out = [p.memory[0xFF04], p.memory[0xC000:0xC200]]",
        "reset_game first": "p.game_wrapper.reset_game()",
        "game_over of any game": "p.game_wrapper.game_over()",
        "collision of any game": "p.game_area_collision()",
    },
    "game wrappers": {
        "Tetris": "q = titled('TETRIS'); q.tick(70); w = q.game_wrapper; q.memory[0x9800:0x9C00] = [i % 10 for i in range(0x400)]; "
        "q.memory[0xC213] = 17; q.tick(1, False); out = [w.score, w.level, w.lines, w.next_tetromino(), w.game_over(), w.shape, q.game_area()]",
        "Tetris, pieces": "q = titled('TETRIS'); q.tick(70); w = q.game_wrapper; w.set_tetromino('S'); "
        "out = [q.memory[0, 0x206E:0x2072], q.memory[0, 0x20B0:0x20B3], w.mapping_compressed, w.mapping_minimal]",
        "Tetris, unknown piece": "titled('TETRIS').game_wrapper.set_tetromino('X')",
        "Super Mario Land": "q = titled('SUPER MARIOLAND'); q.tick(70); w = q.game_wrapper; q.memory[0xDA00:0xDA20] = [0x25] * 32; "
        "q.memory[0xFFB4] = 0x32; q.memory[0xC0AB] = 7; q.memory[0xC202] = 9; q.tick(1, False); "
        "out = [w.world, w.lives_left, w.time_left, w.level_progress, w.game_over(), w.shape]",
        "Super Mario Land, settings": "q = titled('SUPER MARIOLAND'); q.tick(70); w = q.game_wrapper; w.set_lives_left(42); "
        "w.set_time_left(317); w.set_world_level(3, 2); out = [q.memory[0xDA15], q.memory[0xDA01:0xDA03], q.memory[0, 0x450:0x461], "
        "w.mapping_compressed, w.mapping_minimal]",
        "Super Mario Land, too many lives": "titled('SUPER MARIOLAND').game_wrapper.set_lives_left(100)",
        "Kirby": "q = titled('KIRBY DREAM LAN'); q.tick(70); w = q.game_wrapper; q.memory[0xD070:0xD090] = [i % 7 for i in range(32)]; "
        "q.tick(1, False); out = [w.score, w.health, w.lives_left, w.game_over(), w.shape, q.game_area()]",
        "Kirby, the last life": "q = titled('KIRBY DREAM LAN'); q.tick(70); w = q.game_wrapper; q.memory[0xD086] = 3; q.memory[0xD089] = 1; "
        "q.tick(1, False); q.memory[0xD086] = 0; q.tick(1, False); out = [w.game_over(), w.health, w.lives_left]",
        "Pokemon": "q = titled('POKEMON RED'); q.tick(70); w = q.game_wrapper; q.memory[0xD163:0xD300] = [i % 97 for i in range(413)]; "
        "q.memory[0xD163] = 2; q.memory[0xD31D:0xD323] = [2, 4, 9, 5, 1, 255]; q.memory[0xD347:0xD34A] = [0x12, 0x34, 0x56]; "
        "q.tick(1, False); out = [w.party, w.money, w.inventory, q.game_area()]",
        "Pokemon, settings": "q = titled('POKEMON BLUE'); q.tick(70); w = q.game_wrapper; w.set_money(99123); w.set_inventory([(4, 9), (20, 1)]); "
        "w.set_badge(3); w.set_event_flag(77); w.warp(5); w.start_wild_battle(36, 7); out = [q.memory[0xD347:0xD34A], "
        "q.memory[0xD31D:0xD346], q.memory[0xD356], q.memory[0xD747:0xD760], q.memory[0xFF8B], q.memory[0xD72D], q.memory[0xD059], q.memory[0xD127]]",
        "Pokemon, single items": "q = titled('POKEMON BLUE'); q.tick(70); w = q.game_wrapper; w.set_inventory([(4, 9), (20, 1)]); "
        "w.set_item(7, 5); w.remove_item(4, 2); w.set_item(20, 0); out = [w.inventory, q.memory[0xD31D:0xD346]]",
        "Pokemon, too many of an item": "w = titled('POKEMON BLUE').game_wrapper; w.set_inventory([(4, 9)]); w.remove_item(4, 10)",
        "what a wrapper says of itself": "out = []\nfor title in ('WINDFALL', 'TETRIS', 'SUPER MARIOLAND', 'KIRBY DREAM LAN', 'POKEMON RED'):\n"
        "    q = titled(title); q.tick(70); w = q.game_wrapper; q.game_area_dimensions(1, 2, 3, 4, True)\n"
        "    out.append([w.enabled(), w.cartridge_title, w.argv, w.game_area_section, w.game_area_follow_scxy, w.shape, w.stop()])",
        "Pokemon, where to walk": "q = titled('POKEMON RED'); q.tick(70); w = q.game_wrapper; q.memory[0xD530:0xD532] = [0, 0xC6]; "
        "q.memory[0xC600:0xC604] = [0, 3, 9, 255]; q.memory[0xFFD7] = 1; q.memory[0xD535] = 5; q.tick(1, False); out = q.game_area_collision()",
        "Pokemon, by name": "titled('POKEMON RED').game_wrapper.warp('PALLET_TOWN')",
    },
    "states": {
        "save and load": "f = io.BytesIO(); p.save_state(f); p.button('start'); p.tick(50); f.seek(0); p.load_state(f); p.tick(30); "
        "out = [p.screen.ndarray, p.memory[0xC000:0xE000], p._cycles(), p.frame_count]",
        "size of a state": "f = io.BytesIO(); p.save_state(f); out = len(f.getvalue())",
        "the picture after loading": "f = io.BytesIO(); p.save_state(f); p.button('start'); p.tick(60); f.seek(0); p.load_state(f); "
        "out = p.screen.ndarray",
        "buttons held": "p.button_press('left'); p.tick(2); f = io.BytesIO(); p.save_state(f); p.button_release('left'); p.tick(2); "
        "f.seek(0); p.load_state(f); p.tick(40); out = p.memory[0xC000:0xC200]",
        "without sound into with": "q = make(sound_emulated=False); q.tick(120); f = io.BytesIO(); q.save_state(f); f.seek(0); "
        "p.load_state(f); p.tick(60); out = [p.screen.ndarray, p.memory[0xC000:0xE000], p._cycles(), p.sound.ndarray]",
        "with sound into without": "q = make(sound_emulated=False); f = io.BytesIO(); p.save_state(f); f.seek(0); q.load_state(f); "
        "q.tick(60); out = [q.screen.ndarray, q.memory[0xC000:0xE000], q._cycles()]",
        "to a file": "p.save_state(open('a.state', 'wb')); p.tick(9); p.load_state(open('a.state', 'rb')); out = p._cycles()",
        "from an empty file": "p.load_state(io.BytesIO(b''))",
        "from a cut file": "f = io.BytesIO(); p.save_state(f); p.load_state(io.BytesIO(f.getvalue()[:5000]))",
        "a newer format": "p.load_state(io.BytesIO(b'\\xc8' + bytes(200000)))",
        "of the other console": "q = start(rom, True); f = io.BytesIO(); q.save_state(f); f.seek(0); p.load_state(f)",
        "a path": "p.save_state('a.state')",
        "a text file": "p.save_state(open('a.txt', 'w'))",
        "load a path": "p.load_state('a.state')",
        "load None": "p.load_state(None)",
    },
    "cartridge": {
        "cartridge_title": "out = p.cartridge_title",
        "rumble": "out = [p.rumble.enabled, p.rumble.supported]",
        "no clock": "p.rtc_lock_experimental(True)",
        "stop saves RAM": "d = bytearray(open(rom, 'rb').read()); d[0x147] = 3; d[0x14D] = -(sum(d[0x134:0x14D]) + 25) & 255; "
        "open('b.gb', 'wb').write(d); q = make(gamerom='b.gb'); q.memory[0, 0xA003] = 7; q.stop(); "
        "out = [open('b.gb.ram', 'rb').read(), make(gamerom='b.gb').memory[0, 0xA003]]",
        "stop into a file": "d = bytearray(open(rom, 'rb').read()); d[0x147] = 3; d[0x14D] = -(sum(d[0x134:0x14D]) + 25) & 255; "
        "q = make(gamerom=io.BytesIO(d)); q.memory[0, 0xA003] = 7; f = io.BytesIO(); q.stop(ram_file=f); out = f.getvalue()",
        "ram_file": "d = bytearray(open(rom, 'rb').read()); d[0x147] = 3; d[0x14D] = -(sum(d[0x134:0x14D]) + 25) & 255; "
        "q = make(gamerom=io.BytesIO(d), ram_file=io.BytesIO(bytes(range(256)) * 32)); out = q.memory[0, 0xA000:0xA100]",
        "clock file": "d = bytearray(open(rom, 'rb').read()); d[0x147] = 0x10; d[0x14D] = -(sum(d[0x134:0x14D]) + 25) & 255; "
        "q = make(gamerom=io.BytesIO(d)); f, g = io.BytesIO(), io.BytesIO(); q.stop(ram_file=f, rtc_file=g); out = [len(f.getvalue()), len(g.getvalue())]",
        "clock locked": "d = bytearray(open(rom, 'rb').read()); d[0x147] = 0x10; d[0x14D] = -(sum(d[0x134:0x14D]) + 25) & 255; "
        "q = make(gamerom=io.BytesIO(d)); q.rtc_lock_experimental(True); q.tick(100); q.memory[0] = 10; q.memory[0x4000] = 8; "
        "q.memory[0x6000] = 0; q.memory[0x6000] = 1; out = q.memory[0xA000]",
    },
    "scanner": {
        "exact": "p.memory[0xC000] = 4; out = p.memory_scanner.scan_memory(4, start_addr=0xC000, end_addr=0xC000)",
        "whole memory": "out = p.memory_scanner.scan_memory(0xC3)",
        "comparison": "out = p.memory_scanner.scan_memory(200, 0xC000, 0xC100, scanner.StandardComparisonType.GREATER_THAN)",
        "less or equal": "out = p.memory_scanner.scan_memory(0, 0xFF00, 0xFFFF, scanner.StandardComparisonType.LESS_THAN_OR_EQUAL)",
        "two bytes": "p.memory[0xC300:0xC302] = [0x34, 0x12]; out = [p.memory_scanner.scan_memory(0x1234, 0xC200, 0xC400, byte_width=2), "
        "p.memory_scanner.scan_memory(0x1234, 0xC200, 0xC400, byte_width=2, byteorder='big')]",
        "decimals": "p.memory[0xC300:0xC302] = [0x34, 0x12]; out = p.memory_scanner.scan_memory(1234, 0xC200, 0xC400, byte_width=2, "
        "value_type=scanner.ScanMode.BCD)",
        "any value": "out = p.memory_scanner.scan_memory(None, 0xC000, 0xC010)",
        "rescan": "s = p.memory_scanner; p.memory[0xC000] = 4; s.scan_memory(4, 0xC000, 0xC000); p.memory[0xC000] = 8; "
        "out = s.rescan_memory(8, scanner.DynamicComparisonType.MATCH)",
        "changes": "s = p.memory_scanner; p.button('start'); p.tick(60); out = []\nfor kind in ('CHANGED', 'UNCHANGED', 'INCREASED', 'DECREASED'):\n"
        " s.scan_memory(None, 0xC000, 0xC200); p.tick(5); out.append(s.rescan_memory(dynamic_comparison_type=getattr(scanner.DynamicComparisonType, kind)))",
        "no width": "p.memory_scanner.scan_memory(1, byte_width=0)",
        "another order": "p.memory_scanner.scan_memory(1, 0xC000, 0xC010, byteorder='middle')",
        "match without a value": "s = p.memory_scanner; s.scan_memory(None, 0xC000, 0xC001); "
        "s.rescan_memory(None, scanner.DynamicComparisonType.MATCH)",
    },
    "cheats and utilities": {
        "gameshark add": "p.gameshark.add('01FFA4C0'); p.tick(5); out = p.memory[0xC0A4]",
        "gameshark remove": "p.memory[0xC400] = 3; p.gameshark.add('01FF00C4'); p.tick(2); a = p.memory[0xC400]; p.gameshark.remove('01FF00C4'); "
        "p.tick(2); out = [a, p.memory[0xC400]]",
        "gameshark clear_all": "p.memory[0xC400] = 3; p.gameshark.add('01FF00C4'); p.tick(2); p.gameshark.clear_all(False); p.tick(2); out = p.memory[0xC400]",
        "gameshark, malformed": "p.gameshark.add('01FF')",
        "gameshark, another type": "p.gameshark.add('02FF16D0')",
        "gameshark, ROM": "p.gameshark.add('01FF1600')",
        "gameshark twice": "p.gameshark.add('01FF00C4'); p.gameshark.add('01FF00C4')",
        "gameshark remove none": "p.gameshark.remove('01FF00C4')",
        "dec_to_bcd": "out = [utils.dec_to_bcd(v, w, o) for v in (0, 7, 30, 1234) for w in (1, 2, 3) for o in ('little', 'big')]",
        "bcd_to_dec": "out = [utils.bcd_to_dec(v, 2, o) for v in (0, 0x30, 0x1234) for o in ('little', 'big')]",
        "constants": "out = [constants.TILES, constants.TILES_CGB, constants.SPRITES, constants.ROWS, constants.COLS, constants.LOW_TILEMAP]",
        "printer_image": "p.printer_image()",
        "sgb": "p.sgb.enabled",
    },
}
