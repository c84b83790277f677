package android.content.pm;

import android.content.Intent;

public class PackageManager {
	public static class NameNotFoundException extends Exception { public NameNotFoundException(String s) { super(s); } }
	public PackageInfo getPackageInfo(String p, int f) throws NameNotFoundException {
		if (!p.equals("app.keva")) throw new NameNotFoundException(p);
		return new PackageInfo();
	}
	public Intent getLaunchIntentForPackage(String p) { return new Intent("android.intent.action.MAIN"); }
}
