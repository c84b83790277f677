package android.content;

public abstract class BroadcastReceiver { public abstract void onReceive(Context c, Intent i); }
