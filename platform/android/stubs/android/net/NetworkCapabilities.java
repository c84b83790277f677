package android.net;

public class NetworkCapabilities {
	public boolean hasCapability(int c) { return c == 12 || c == 16; }
	public boolean hasTransport(int t) { return t == 4; }
}
