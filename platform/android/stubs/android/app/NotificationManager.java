package android.app;

import keva.Log;

public class NotificationManager {
	public void createNotificationChannel(NotificationChannel c) { Log.add("channel " + c); }
	public void notify(int id, Notification n) { Log.add("notify " + id + " " + n); }
	public void cancel(int id) { Log.add("cancel " + id); }
	public boolean areNotificationsEnabled() { return true; }
}
