package android.net;

public class Uri {
	private final String s;
	private Uri(String s) { this.s = s; }
	public static Uri parse(String s) { if (s == null) throw new NullPointerException("uriString"); return new Uri(s); }
	public static final Uri EMPTY = new Uri("");
	public String toString() { return s; }
}
