package android.net;

import keva.Phone;

public class ConnectivityManager {
	public ProxyInfo getDefaultProxy() { return Phone.proxy ? new ProxyInfo() : null; }
	public Network getActiveNetwork() { return Phone.online ? new Network() : null; }
	public NetworkCapabilities getNetworkCapabilities(Network n) { if (n == null) throw new NullPointerException(); return new NetworkCapabilities(); }
	public LinkProperties getLinkProperties(Network n) { if (n == null) throw new NullPointerException(); return new LinkProperties(); }
}
