package android.app;

import java.util.List;

public class ActivityManager {
	public static class MemoryInfo {
		public long totalMem, availMem, threshold;
		public boolean lowMemory;
	}
	public void getMemoryInfo(MemoryInfo m) { m.totalMem = 8L << 30; m.availMem = 3L << 30; m.threshold = 400 << 20; m.lowMemory = true; }
	public List<ApplicationExitInfo> getHistoricalProcessExitReasons(String p, int pid, int max) {
		if (android.os.Build.VERSION.SDK_INT < 30) throw new NoSuchMethodError();
		if (!"app.keva".equals(p)) throw new SecurityException(p);
		return java.util.Collections.nCopies(Math.min(max, 2), new ApplicationExitInfo());
	}
}
