package android.app;

public class NotificationChannel {
	private final String s;
	public NotificationChannel(String id, CharSequence n, int importance) { s = id + "/" + n + "/" + importance; }
	public String toString() { return s; }
}
