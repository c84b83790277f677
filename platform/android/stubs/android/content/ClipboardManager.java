package android.content;

public class ClipboardManager {
	private static ClipData clip;
	public void setPrimaryClip(ClipData c) { keva.Log.add("clip " + c.label); clip = c; }
	public ClipData getPrimaryClip() { return clip; }
}
