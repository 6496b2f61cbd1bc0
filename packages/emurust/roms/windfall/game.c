/* Windfall: catch what falls from the trees, but not the wasps.
 *
 * Five levels of eight catches.  A missed apple or a caught wasp costs one of three lives; golden apples are worth
 * three points.  From level 2 there are more wasps, from 3 wind, from 4 two things in the air; they fall faster.
 * What falls where follows from the buttons held on the title screen, frame by frame, until START is pressed.
 */
#include "windfall.h"

#define LEVELS 5
#define CATCHES 8
#define STEP 3 /* pixels a frame */
#define LEFT_END 0
#define RIGHT_END 144
#define SPAWN_Y 24
#define REACH 11 /* catches within this distance of the basket's middle */

static const uint8_t speed[LEVELS + 1] = {0, 2, 2, 2, 3, 3};

static void wait_for_frame(void) {
  __asm
    halt
    nop
  __endasm;
}

static uint8_t read_pad(void) {
  uint8_t held;
  P1 = 0x20;
  held = (uint8_t)(~P1 & 0x0F);
  P1 = 0x10;
  return (uint8_t)(held | (uint8_t)(~P1 << 4));
}

static uint8_t random(void) {
  if (!seed) seed = 1;
  seed ^= seed << 7;
  seed ^= seed >> 9;
  seed ^= seed << 8;
  return (uint8_t)seed;
}

static void sound(uint8_t sweep, uint8_t pitch) {
  NR10 = sweep;
  NR11 = 0x81;
  NR12 = 0xA2;
  NR13 = pitch;
  NR14 = 0x86;
}

static void start_level(void) {
  uint8_t i;
  for (i = 0; i < SLOTS; i++) falling[i].kind = NOTHING;
  caught = 0;
  gap = 20;
}

static void start_game(void) {
  mode = PLAYING;
  score = 0;
  lives = 3;
  level = 1;
  basket_x = 72;
  last_x = 76;
  start_level();
}

static uint8_t spawn_x(void) {
  int16_t x = (int16_t)last_x + (int16_t)(random() & 127) - 63;
  if (x < 8) x = 16 - x;
  if (x > 144) x = 288 - x;
  return (uint8_t)x;
}

static void spawn(struct falling *thing) {
  uint8_t luck = random() & 7;
  if (luck == 0 || (luck == 1 && level > 1)) thing->kind = WASP;
  else if (luck == 7 && level > 1) thing->kind = GOLDEN;
  else thing->kind = APPLE;
  thing->x = last_x = spawn_x();
  thing->y = SPAWN_Y;
  thing->drift = level > 2 ? random() % 3 : 1;
}

static void lose_life(void) {
  sound(0x1E, 0x40);
  if (--lives == 0) mode = LOST;
}

static void take(uint8_t kind) {
  if (kind == WASP) {
    lose_life();
    return;
  }
  sound(0x16, kind == GOLDEN ? 0xC0 : 0x90);
  score += kind == GOLDEN ? 3 : 1;
  if (++caught == CATCHES) {
    if (++level > LEVELS) {
      level = LEVELS;
      mode = WON;
    } else start_level();
  }
}

/* True while the thing stays in the air. */
static uint8_t fall(struct falling *thing) {
  uint8_t kind = thing->kind;
  int16_t distance;
  thing->y += speed[level];
  if (frame & 1) {
    thing->x += thing->drift;
    thing->x--;
    if (thing->x < 4) thing->drift = 2;
    if (thing->x > 148) thing->drift = 0;
  }
  distance = (int16_t)thing->x - (int16_t)basket_x - 4;
  if (thing->y >= BASKET_Y - 6 && thing->y < BASKET_Y + 6 && distance >= -REACH && distance <= REACH) {
    thing->kind = NOTHING;
    take(kind);
    return 0;
  }
  if (thing->y < BASKET_Y + 8) return 1;
  thing->kind = NOTHING;
  if (kind == APPLE) lose_life();
  return 0;
}

static void play(uint8_t pad) {
  if ((pad & PAD_LEFT) && basket_x > LEFT_END) basket_x -= STEP;
  if ((pad & PAD_RIGHT) && basket_x < RIGHT_END) basket_x += STEP;
  if (falling[1].kind && mode == PLAYING) fall(&falling[1]);
  if (falling[0].kind && mode == PLAYING) fall(&falling[0]);
  if (!falling[0].kind) { /* the older one first */
    falling[0] = falling[1];
    falling[1].kind = NOTHING;
  }
  if (gap) gap--;
  else if (!falling[0].kind) {
    spawn(&falling[0]);
    gap = 26;
  } else if (level > 3 && !falling[1].kind) {
    spawn(&falling[1]);
    gap = 26;
  }
}

void main(void) {
  uint8_t pad, held = 0;
  NR52 = 0x80;
  NR50 = 0x77;
  NR51 = 0xFF;
  set_up_screen();
  mode = TITLE;
  show_title();
  IE = 1;
  __asm__("ei");
  for (;;) {
    wait_for_frame();
    copy_objects();
    show_status();
    frame++;
    pad = read_pad();
    if (mode == PLAYING) {
      play(pad);
      if (mode == LOST) show_text(8, 5, "GAME OVER");
      if (mode == WON) show_text(8, 6, "YOU WON");
    } else {
      seed = seed * 5 + 13 + pad;
      if ((pad & ~held) & PAD_START) {
        show_text(8, 3, "              ");
        show_text(10, 3, "              ");
        start_game();
      }
    }
    place_objects();
    held = pad;
  }
}
