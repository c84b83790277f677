package keva;

import java.util.ArrayList;
import java.util.List;

/** What the stand-ins were called with. */
public class Log {
	private static final List<String> lines = new ArrayList<>();

	public static synchronized void add(String s) { lines.add(s); }

	public static synchronized String drain() {
		String all = String.join("\n", lines);
		lines.clear();
		return all;
	}
}
