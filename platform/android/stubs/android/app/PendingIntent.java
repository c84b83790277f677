package android.app;

import android.content.Context;
import android.content.Intent;
import java.util.HashMap;
import java.util.Map;

public class PendingIntent {
	private static final Map<String, PendingIntent> buttons = new HashMap<>(), all = new HashMap<>();
	private final Intent intent;
	private final boolean oneShot;
	private boolean sent;
	private PendingIntent(Intent i, int flags) { intent = i; oneShot = (flags & 0x40000000) != 0; }
	private static void check(int flags) { if ((flags & 0x06000000) == 0) throw new IllegalArgumentException("FLAG_IMMUTABLE or FLAG_MUTABLE is needed"); }
	public static PendingIntent getActivity(Context c, int r, Intent i, int f) { check(f); return new PendingIntent(i, f); }
	/* As Android does: what differs only in its extras is the same, and keeps its first extras. */
	public static PendingIntent getBroadcast(Context c, int r, Intent i, int f) {
		check(f);
		return all.computeIfAbsent(r + " " + i.action + " " + i.cls, k -> new PendingIntent(i, f));
	}
	static void register(String label, PendingIntent p) { buttons.put(label, p); }
	static void forget() { buttons.clear(); }
	public static PendingIntent of(String label) {
		if (!buttons.containsKey(label)) throw new IllegalStateException("there is no button " + label + ", but " + buttons.keySet());
		return buttons.get(label);
	}
	/** The system's half of "one shot" is left out: what counts is that ours refuses. */
	public void send() throws ReflectiveOperationException {
		if (!oneShot) throw new IllegalStateException("not one-shot");
		keva.Phone.broadcast(intent);
	}
}
