#ifndef KEVA_NATIVE_WINDOW_H
#define KEVA_NATIVE_WINDOW_H
#include <stdint.h>
/* Debian's framework headers leave this one out. */
typedef struct ARect { int32_t left, top, right, bottom; } ARect;
typedef struct ANativeWindow ANativeWindow;
void ANativeWindow_acquire(ANativeWindow *w);
void ANativeWindow_release(ANativeWindow *w);
int32_t ANativeWindow_getWidth(ANativeWindow *w);
int32_t ANativeWindow_getHeight(ANativeWindow *w);
int32_t ANativeWindow_getFormat(ANativeWindow *w);
int32_t ANativeWindow_setBuffersGeometry(ANativeWindow *w, int32_t width, int32_t height, int32_t format);
#endif
