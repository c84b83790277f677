package keva;

import android.app.PendingIntent;
import android.app.Service;
import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;

/** What Android itself does: keeps the service, delivers broadcasts. */
public class Phone {
	public static boolean proxy = true, online = true, background, refuseNotification;
	public static String monitor;
	private static Service service;

	public static void startService(Intent i) {
		try {
			if (service == null) {
				service = (Service) Class.forName(i.cls).getDeclaredConstructor().newInstance();
			}
			int r = service.onStartCommand(i, 0, 1);
			if (r != 2) throw new IllegalStateException("not START_NOT_STICKY: " + r);
		} catch (ReflectiveOperationException e) {
			throw new RuntimeException(e);
		}
	}

	public static boolean stopService() {
		Service s = service;
		service = null;
		if (s != null) s.onDestroy();
		return s != null;
	}

	/** What the system does on its own. */
	public static void event(String what) throws Exception {
		switch (what) {
		case "timeout": Service.class.getMethod("onTimeout", int.class, int.class).invoke(service, 1, 1); break;
		case "removed": service.onTaskRemoved(new Intent()); break;
		case "null": service.onStartCommand(null, 0, 2); break;
		case "bind": if (service.onBind(new Intent()) != null) throw new IllegalStateException(); break;
		case "background": background = true; break;
		case "front": background = false; break;
		case "refuse": refuseNotification = true; break;
		case "accept": refuseNotification = false; break;
		case "offline": online = false; break;
		case "online": online = true; break;
		case "noproxy": proxy = false; break;
		case "proxy": proxy = true; break;
		case "monitor=false": monitor = "false"; break;
		case "monitor=?": monitor = "perhaps"; break;
		case "monitor=": monitor = null; break;
		default:
			if (!what.startsWith("sdk=")) throw new IllegalArgumentException(what);
			android.os.Build.VERSION.SDK_INT = Integer.parseInt(what.substring(4));
		}
	}

	/** A tap on the button with this label, of the notification that was shown last. */
	public static void tap(String label) throws Exception { PendingIntent.of(label).send(); }

	/** A broadcast that somebody else made up; null leaves an extra out, "#" makes it a number. */
	public static void forge(String nonce, String request, String answer) throws Exception {
		Intent i = new Intent("x");
		i.cls = "app.keva.AnswerReceiver";
		String[] keys = {"nonce", "request", "answer"}, values = {nonce, request, answer};
		for (int k = 0; k < 3; k++) {
			if ("#".equals(values[k])) i.extras.put(keys[k], 7);
			else if (values[k] != null) i.putExtra(keys[k], values[k]);
		}
		broadcast(i);
	}

	public static void broadcast(Intent i) throws ReflectiveOperationException {
		((BroadcastReceiver) Class.forName(i.cls).getDeclaredConstructor().newInstance()).onReceive(new Context(), i);
	}

	/** Loads our classes as a process without Go would: with a loader of its own, so that there are no native methods. */
	public static String stale() throws Exception {
		java.net.URL[] here = java.util.Arrays.stream(System.getProperty("java.class.path").split(":"))
			.map(p -> { try { return new java.io.File(p).toURI().toURL(); } catch (Exception e) { throw new RuntimeException(e); } })
			.toArray(java.net.URL[]::new);
		ClassLoader own = new java.net.URLClassLoader(here, Phone.class.getClassLoader()) {
			protected Class<?> loadClass(String n, boolean r) throws ClassNotFoundException {
				if (n.startsWith("app.keva.")) { Class<?> c = findLoadedClass(n); return c != null ? c : findClass(n); }
				return super.loadClass(n, r);
			}
		};
		Object receiver = own.loadClass("app.keva.AnswerReceiver").getDeclaredConstructor().newInstance();
		((BroadcastReceiver) receiver).onReceive(new Context(), new Intent("x"));
		return "survived";
	}
}
