package android.content;

import keva.Log;
import keva.Phone;

public class Context {
	static { java.security.Security.addProvider(new keva.KeyStoreStub()); }
	public Object getSystemService(String n) {
		switch (n) {
		case "power": return new android.os.PowerManager();
		case "connectivity": return new android.net.ConnectivityManager();
		case "notification": return new android.app.NotificationManager();
		case "activity": return new android.app.ActivityManager();
		case "clipboard": return new ClipboardManager();
		}
		return null;
	}
	public String getPackageName() { return "app.keva"; }
	public android.content.pm.PackageManager getPackageManager() { return new android.content.pm.PackageManager(); }
	public android.content.pm.ApplicationInfo getApplicationInfo() { return new android.content.pm.ApplicationInfo(); }
	public String getPackageCodePath() { return "/data/app/app.keva/base.apk"; }
	public java.io.File getFilesDir() { return new java.io.File("/data/user/0/app.keva/files"); }
	public java.io.File getCacheDir() { return new java.io.File("/data/user/0/app.keva/cache"); }
	public ContentResolver getContentResolver() { return new ContentResolver(); }
	public void startActivity(Intent i) {
		if ((i.flags & 0x10000000) == 0) throw new IllegalStateException("no FLAG_ACTIVITY_NEW_TASK");
		if (i.data != null && i.data.toString().startsWith("nope:") || i.cls != null && !i.cls.startsWith("com.miui")) {
			throw new ActivityNotFoundException("No Activity found to handle " + i);
		}
		Log.add("startActivity " + i);
	}
	public ComponentName startForegroundService(Intent i) {
		Log.add("startForegroundService " + i.cls);
		Phone.startService(i);
		return new ComponentName();
	}
	public ComponentName startService(Intent i) {
		if (Phone.background) throw new IllegalStateException("Not allowed to start service");
		Log.add("startService " + i.cls);
		Phone.startService(i);
		return new ComponentName();
	}
	public boolean stopService(Intent i) {
		Log.add("stopService " + i.cls);
		return Phone.stopService();
	}
}
