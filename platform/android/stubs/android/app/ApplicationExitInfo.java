package android.app;

public class ApplicationExitInfo {
	public long getTimestamp() { return 1700000000123L; }
	public int getPid() { return 4711; }
	public String getProcessName() { return "app.keva"; }
	public int getReason() { return 3; }
	public int getStatus() { return 9; }
	public String getDescription() { return null; }
	public long getRss() { return 2048; }
}
