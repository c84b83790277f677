package android.net;

import java.net.InetAddress;
import java.util.List;

public class LinkProperties {
	public String getInterfaceName() { return "wlan0"; }
	public List<InetAddress> getDnsServers() {
		try {
			return List.of(InetAddress.getByAddress(new byte[] {10, 0, 0, 1}), InetAddress.getByName("fe80::1"));
		} catch (java.net.UnknownHostException e) {
			throw new RuntimeException(e);
		}
	}
}
