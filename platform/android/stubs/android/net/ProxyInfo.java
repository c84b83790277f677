package android.net;

public class ProxyInfo {
	public String getHost() { return "10.1.2.3"; }
	public int getPort() { return 3128; }
	public String[] getExclusionList() { return new String[] {"localhost", "*.lan"}; }
	public Uri getPacFileUrl() { return Uri.EMPTY; }
}
