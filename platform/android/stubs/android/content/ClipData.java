package android.content;

public class ClipData {
	final CharSequence label, text;
	ClipData(CharSequence l, CharSequence t) { label = l; text = t; }
	public static ClipData newPlainText(CharSequence l, CharSequence t) { return new ClipData(l, t); }
	public int getItemCount() { return 1; }
	public Item getItemAt(int i) { if (i != 0) throw new IndexOutOfBoundsException(); return new Item(); }
	public class Item { public CharSequence getText() { return text; } }
}
