package android.os;

import keva.Log;

public class PowerManager {
	public static final class WakeLock {
		private boolean held, counted = true;
		private final String tag;
		WakeLock(String t) { tag = t; }
		public void setReferenceCounted(boolean b) { counted = b; }
		public void acquire() { held = true; Log.add("acquire " + tag + " counted=" + counted); }
		public boolean isHeld() { return held; }
		public void release() { if (!held) throw new RuntimeException("WakeLock under-locked " + tag); held = false; Log.add("release " + tag); }
	}
	public WakeLock newWakeLock(int flags, String tag) {
		if (flags != 1) throw new IllegalArgumentException("flags " + flags);
		if (tag.isEmpty()) throw new IllegalArgumentException("Must specify a tag. \u00fc \ud83d\ude00");
		return new WakeLock(tag);
	}
	public boolean isIgnoringBatteryOptimizations(String p) { if (!p.equals("app.keva")) throw new SecurityException(); return false; }
}
