package android.app;

import android.content.ContextWrapper;
import android.content.Intent;
import keva.Log;

public abstract class Service extends ContextWrapper {
	public Service() {}
	public void onDestroy() { Log.add("Service.onDestroy"); }
	public int onStartCommand(Intent i, int f, int id) { return 1; }
	public void onTimeout(int id) { throw new IllegalStateException("not overridden"); }
	public void onTimeout(int id, int type) { throw new IllegalStateException("not overridden"); }
	public void onTaskRemoved(Intent i) { throw new IllegalStateException("not overridden"); }
	public abstract android.os.IBinder onBind(Intent i);
	public final void startForeground(int id, Notification n) {
		if (n == null || keva.Phone.refuseNotification) throw new IllegalArgumentException("null notification");
		Log.add("startForeground " + id + " " + n);
	}
	public final void stopForeground(boolean remove) { Log.add("stopForeground " + remove); }
	public final void stopSelf() { Log.add("stopSelf"); keva.Phone.stopService(); }
}
