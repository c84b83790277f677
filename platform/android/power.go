//go:build android || jvmtest

package android

import "sync"

// WakeLock keeps the processor awake until it is released.
type WakeLock struct {
	mu  sync.Mutex
	ref object
}

// AcquireWakeLock takes a partial wake lock: the screen may go dark. tag is shown in the phone's battery statistics.
func AcquireWakeLock(tag string) (*WakeLock, error) {
	w := &WakeLock{}
	err := run(func(t *thread) {
		lock := t.object(t.service("power"), "android/os/PowerManager.newWakeLock(ILjava/lang/String;)Landroid/os/PowerManager$WakeLock;", 1, tag)
		t.void(lock, "android/os/PowerManager$WakeLock.setReferenceCounted(Z)V", false)
		t.void(lock, "android/os/PowerManager$WakeLock.acquire()V")
		if t.err == nil {
			w.ref = t.keep(lock)
		}
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// Release gives it back; a second time it does nothing.
func (w *WakeLock) Release() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ref == 0 {
		return nil
	}
	return run(func(t *thread) {
		if t.bool(w.ref, "android/os/PowerManager$WakeLock.isHeld()Z") {
			t.void(w.ref, "android/os/PowerManager$WakeLock.release()V")
		}
		if t.err == nil {
			t.drop(w.ref)
			w.ref = 0
		}
	})
}

// BatteryExempt reports whether the user exempted the app from battery optimisation.
func BatteryExempt() (bool, error) {
	exempt := false
	err := run(func(t *thread) {
		exempt = t.bool(t.service("power"), "android/os/PowerManager.isIgnoringBatteryOptimizations(Ljava/lang/String;)Z", t.packageName())
	})
	return exempt && err == nil, err
}

// AskBatteryExemption shows Android's question. What was answered is seen by BatteryExempt later.
func AskBatteryExemption() error {
	return run(func(t *thread) {
		t.start(t.intentFor("android.settings.REQUEST_IGNORE_BATTERY_OPTIMIZATIONS", "package:"+t.packageName()))
	})
}
