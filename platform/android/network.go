//go:build android || jvmtest

package android

const connectivity = "android/net/ConnectivityManager."

// ReadNetwork says how the phone is connected now.
func ReadNetwork() (Network, error) { return readNetwork() }

func readNetwork() (Network, error) {
	var n Network
	err := run(func(t *thread) {
		cm := t.service("connectivity")
		n.Proxy = t.proxy(t.object(cm, connectivity+"getDefaultProxy()Landroid/net/ProxyInfo;"))
		network := t.object(cm, connectivity+"getActiveNetwork()Landroid/net/Network;")
		if network == 0 || t.err != nil {
			return
		}
		if caps := t.object(cm, connectivity+"getNetworkCapabilities(Landroid/net/Network;)Landroid/net/NetworkCapabilities;", network); caps != 0 {
			has := func(capability int) bool {
				return t.bool(caps, "android/net/NetworkCapabilities.hasCapability(I)Z", capability)
			}
			n.Connected, n.Validated = has(12), has(16) // NET_CAPABILITY_INTERNET, _VALIDATED
			n.Metered = !has(11)                        // NET_CAPABILITY_NOT_METERED
			n.VPN = t.bool(caps, "android/net/NetworkCapabilities.hasTransport(I)Z", 4)
		}
		props := t.object(cm, connectivity+"getLinkProperties(Landroid/net/Network;)Landroid/net/LinkProperties;", network)
		if props == 0 || t.err != nil { // it went away in between
			return
		}
		n.Interface = t.text(props, "android/net/LinkProperties.getInterfaceName()Ljava/lang/String;")
		for _, address := range t.list(t.object(props, "android/net/LinkProperties.getDnsServers()Ljava/util/List;")) {
			n.DNS = append(n.DNS, t.text(address, "java/net/InetAddress.getHostAddress()Ljava/lang/String;"))
		}
	})
	if err != nil {
		return Network{Proxy: Proxy{Unknown: true, UnknownBy: err.Error()}}, err
	}
	return n, nil
}

// proxy reads a ProxyInfo; null is none.
func (t *thread) proxy(o object) Proxy {
	var p Proxy
	if o == 0 || t.err != nil {
		return p
	}
	p.Host = t.text(o, "android/net/ProxyInfo.getHost()Ljava/lang/String;")
	p.Port = t.int(o, "android/net/ProxyInfo.getPort()I")
	p.Exclude = t.goStrings(t.object(o, "android/net/ProxyInfo.getExclusionList()[Ljava/lang/String;"))
	if pac := t.object(o, "android/net/ProxyInfo.getPacFileUrl()Landroid/net/Uri;"); pac != 0 {
		p.AutoURL = t.text(pac, "java/lang/Object.toString()Ljava/lang/String;")
	}
	return p
}
