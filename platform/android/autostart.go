package android

import "strings"

// Page is a settings page of a manufacturer, where apps are allowed to run in the background.
type Page struct{ Package, Activity string }

// autostart are such pages by the names that are commonly given for them. No phone was at hand to try any; the first that
// opens counts.
var autostart = []struct {
	makers []string // lower case, as Build.MANUFACTURER says
	pages  []Page
}{
	{[]string{"xiaomi", "redmi", "poco"}, []Page{{"com.miui.securitycenter", "com.miui.permcenter.autostart.AutoStartManagementActivity"}}},
	{[]string{"huawei"}, []Page{
		{"com.huawei.systemmanager", "com.huawei.systemmanager.startupmgr.ui.StartupNormalAppListActivity"},
		{"com.huawei.systemmanager", "com.huawei.systemmanager.optimize.process.ProtectActivity"},
	}},
	{[]string{"honor"}, []Page{
		{"com.hihonor.systemmanager", "com.hihonor.systemmanager.startupmgr.ui.StartupNormalAppListActivity"},
		{"com.huawei.systemmanager", "com.huawei.systemmanager.startupmgr.ui.StartupNormalAppListActivity"},
	}},
	{[]string{"oppo", "realme"}, []Page{
		{"com.coloros.safecenter", "com.coloros.safecenter.permission.startup.StartupAppListActivity"},
		{"com.coloros.safecenter", "com.coloros.safecenter.startupapp.StartupAppListActivity"},
		{"com.oppo.safe", "com.oppo.safe.permission.startup.StartupAppListActivity"},
	}},
	{[]string{"oneplus"}, []Page{{"com.oneplus.security", "com.oneplus.security.chainlaunch.view.ChainLaunchAppListActivity"}}},
	{[]string{"vivo"}, []Page{
		{"com.vivo.permissionmanager", "com.vivo.permissionmanager.activity.BgStartUpManagerActivity"},
		{"com.iqoo.secure", "com.iqoo.secure.ui.phoneoptimize.BgStartUpManager"},
	}},
	{[]string{"samsung"}, []Page{{"com.samsung.android.lool", "com.samsung.android.sm.battery.ui.BatteryActivity"}}},
	{[]string{"asus"}, []Page{{"com.asus.mobilemanager", "com.asus.mobilemanager.autostart.AutoStartActivity"}}},
}

// AutostartPages are the pages that may be there on phones of this manufacturer; none where none is known.
func AutostartPages(manufacturer string) []Page {
	for _, a := range autostart {
		for _, m := range a.makers {
			if strings.EqualFold(m, strings.TrimSpace(manufacturer)) {
				return a.pages
			}
		}
	}
	return nil
}
