package android.content.pm;

public class PackageInfo { public String versionName = "1.2.3"; public long getLongVersionCode() { return 10203; } }
