package android.content.pm;

public class ApplicationInfo { public String nativeLibraryDir = "/data/app/app.keva/lib/arm64"; public int uid = 10234; }
