/* Stand-in for raylib, written for this project: declares what the drawing half of pong.h names.
 * Nothing here is ever called; it exists so that pong.h compiles unmodified and links without a display. */
#ifndef RAYLIB_STUB_H
#define RAYLIB_STUB_H

typedef struct { unsigned char r, g, b, a; } Color;
typedef struct { unsigned int id; int width, height, mipmaps, format; } Texture2D;
typedef struct { float x, y, width, height; } Rectangle;
typedef struct { float x, y; } Vector2;

#define WHITE ((Color){255, 255, 255, 255})
#define KEY_ESCAPE 256
#define STUB static inline __attribute__((unused))

STUB void InitWindow(int width, int height, const char *title) { (void)width; (void)height; (void)title; }
STUB void SetTargetFPS(int fps) { (void)fps; }
STUB Texture2D LoadTexture(const char *path) { (void)path; return (Texture2D){0}; }
STUB void CloseWindow(void) {}
STUB int IsKeyDown(int key) { (void)key; return 0; }
STUB void BeginDrawing(void) {}
STUB void EndDrawing(void) {}
STUB void ClearBackground(Color color) { (void)color; }
STUB void DrawRectangle(int x, int y, int width, int height, Color color) {
    (void)x; (void)y; (void)width; (void)height; (void)color;
}
STUB void DrawTexturePro(Texture2D texture, Rectangle from, Rectangle to, Vector2 origin, float turn, Color tint) {
    (void)texture; (void)from; (void)to; (void)origin; (void)turn; (void)tint;
}
STUB void DrawText(const char *text, int x, int y, int size, Color color) {
    (void)text; (void)x; (void)y; (void)size; (void)color;
}
STUB const char *TextFormat(const char *format, ...) { return format; }
STUB int MeasureText(const char *text, int size) { (void)text; (void)size; return 0; }

#endif
