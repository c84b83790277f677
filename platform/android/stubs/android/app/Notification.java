package android.app;

import android.content.Context;

public class Notification implements android.os.Parcelable {
	String text;
	public String toString() { return text; }

	public static class Action {
		final String label;
		Action(String l) { label = l; }
		public static class Builder {
			private String label;
			private final PendingIntent target;
			public Builder(int icon, CharSequence l, PendingIntent p) { label = l.toString(); target = p; }
			public Builder setAuthenticationRequired(boolean b) { PendingIntent.register(label, target); label += b ? "!" : ""; return this; }
			public Action build() { PendingIntent.register(label.replace("!", ""), target); return new Action(label); }
		}
	}

	public static class Builder {
		private final StringBuilder b = new StringBuilder();
		private int icon;
		public Builder(Context c, String channel) { b.append("ch=" + channel); PendingIntent.forget(); }
		public Builder setContentTitle(CharSequence t) { b.append(" title=" + t); return this; }
		public Builder setContentText(CharSequence t) { b.append(" text=" + t); return this; }
		public Builder setSmallIcon(int i) { icon = i; return this; }
		public Builder setOngoing(boolean a) { b.append(" ongoing=" + a); return this; }
		public Builder setOnlyAlertOnce(boolean a) { b.append(" once=" + a); return this; }
		public Builder setVisibility(int v) { b.append(" visibility=" + v); return this; }
		public Builder setForegroundServiceBehavior(int v) {
			if (android.os.Build.VERSION.SDK_INT < 31) throw new NoSuchMethodError();
			b.append(" behaviour=" + v);
			return this;
		}
		public Builder setContentIntent(PendingIntent p) { b.append(" opens"); return this; }
		public Builder addAction(Action a) { b.append(" [" + a.label + "]"); return this; }
		public Notification build() {
			if (icon == 0) throw new IllegalArgumentException("no small icon");
			Notification n = new Notification();
			n.text = b.toString();
			return n;
		}
	}
}
