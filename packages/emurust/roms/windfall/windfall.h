/* Windfall: memory map and parts. */
#ifndef WINDFALL_H
#define WINDFALL_H
#include <stdint.h>

#define PORT(address) (*(volatile uint8_t *)(0xFF00 | (address)))
#define P1 PORT(0x00)
#define NR10 PORT(0x10)
#define NR11 PORT(0x11)
#define NR12 PORT(0x12)
#define NR13 PORT(0x13)
#define NR14 PORT(0x14)
#define NR50 PORT(0x24)
#define NR51 PORT(0x25)
#define NR52 PORT(0x26)
#define LCDC PORT(0x40)
#define LY PORT(0x44)
#define BGP PORT(0x47)
#define OBP0 PORT(0x48)
#define OBP1 PORT(0x49)
#define IE PORT(0xFF)

enum mode { TITLE, PLAYING, LOST, WON };
enum kind { NOTHING, APPLE, WASP, GOLDEN };
enum pad { PAD_RIGHT = 1, PAD_LEFT = 2, PAD_START = 0x80 };

struct falling {
  uint8_t kind, x, y, drift; /* drift: 0 left, 1 straight, 2 right */
};

#define SLOTS 2
#define BASKET_Y 128

/* Fixed places, so that tools can read the game. */
uint8_t __at(0xC000) shadow_oam[160];
uint8_t __at(0xC0A0) mode;
uint8_t __at(0xC0A1) score;
uint8_t __at(0xC0A2) lives;
uint8_t __at(0xC0A3) level;
uint8_t __at(0xC0A4) basket_x;
struct falling __at(0xC0A5) falling[SLOTS]; /* the older one first */
uint16_t __at(0xC0B0) seed;
uint8_t __at(0xC0B2) caught; /* on this level */
uint8_t __at(0xC0B3) gap;    /* frames to the next spawn */
uint8_t __at(0xC0B4) last_x;
uint8_t __at(0xC0B5) frame;

void copy_objects(void);
void set_up_screen(void);
void show_text(uint8_t row, uint8_t column, const char *text);
void show_title(void);
void show_status(void);
void place_objects(void);

#endif
