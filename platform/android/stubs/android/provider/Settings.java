package android.provider;

public class Settings {
	public static final class Global {
		public static String getString(android.content.ContentResolver r, String n) {
			if (r == null) throw new NullPointerException();
			return n.equals("settings_enable_monitor_phantom_procs") ? keva.Phone.monitor : null;
		}
	}
}
