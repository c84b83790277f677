package android.content;

import android.net.Uri;
import android.os.Parcelable;
import java.util.Map;
import java.util.TreeMap;

public class Intent implements Parcelable {
	public String action, type, cls;
	public Uri data;
	public int flags;
	public final Map<String, Object> extras = new TreeMap<>();
	public Intent() {}
	public Intent(String a) { action = a; }
	public Intent(String a, Uri u) { action = a; data = u; }
	public Intent addFlags(int f) { flags |= f; return this; }
	public Intent setType(String t) { type = t; data = null; return this; }
	public Intent putExtra(String k, String v) { extras.put(k, v); return this; }
	public Intent putExtra(String k, boolean v) { extras.put(k, v); return this; }
	public Intent putExtra(String k, Parcelable v) { extras.put(k, v); return this; }
	/* As Android does: an extra of another type is none. */
	public String getStringExtra(String k) { Object o = extras.get(k); return o instanceof String ? (String) o : null; }
	public boolean getBooleanExtra(String k, boolean d) { Object o = extras.get(k); return o instanceof Boolean ? (Boolean) o : d; }
	@SuppressWarnings("unchecked")
	public <T extends Parcelable> T getParcelableExtra(String k) { Object o = extras.get(k); return o instanceof Parcelable ? (T) o : null; }
	public Intent setClassName(Context c, String n) { cls = n; return this; }
	public Intent setClassName(String p, String n) { cls = n; return this; }
	public static Intent createChooser(Intent t, CharSequence title) {
		Intent i = new Intent("android.intent.action.CHOOSER");
		i.putExtra("android.intent.extra.INTENT", t);
		i.extras.put("title", title);
		return i;
	}
	public String toString() { return action + " data=" + data + " type=" + type + " cls=" + cls + " " + extras; }
}
