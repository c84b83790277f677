package android.os;

public class Build {
	public static final String MANUFACTURER = "Xiaomi", MODEL = "Desktop JVM";
	public static final String[] SUPPORTED_ABIS = {"arm64-v8a", "armeabi-v7a"};
	public static class VERSION {
		public static String RELEASE = "13";
		public static int SDK_INT = 33;
	}
}
