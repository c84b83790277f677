package apk

// Expected is what an APK of Keva has to be.
type Expected struct {
	Package          string
	MinSDK, Target   string
	Permissions      []string
	Activity, Label  string
	Service          string
	Receiver         string
	Classes          []string // of ours, in the second dex file; no more and no fewer
	FrameworkClasses []string // of Fyne's, in the first
	Exports          []string // of the library, which Java and Android look up
	ConfigChanges    string   // what the activity is not made anew for
	Shell, Total     int64    // bytes, at most: without the userland, and with it
}

// Keva is what an APK of ours has to be.
var Keva = Expected{
	Package: "app.keva", MinSDK: "28", Target: "28", Label: "Keva",
	Permissions: []string{
		"android.permission.ACCESS_NETWORK_STATE",
		"android.permission.FOREGROUND_SERVICE",
		"android.permission.INTERNET",
		"android.permission.POST_NOTIFICATIONS",
		"android.permission.REQUEST_IGNORE_BATTERY_OPTIMIZATIONS",
		"android.permission.WAKE_LOCK",
	},
	Activity: "org.golang.app.GoNativeActivity", Service: "app.keva.RunService", Receiver: "app.keva.AnswerReceiver",
	Classes:          []string{"Lapp/keva/AnswerReceiver;", "Lapp/keva/RunService;"},
	FrameworkClasses: []string{"Lorg/golang/app/GoNativeActivity;"},
	Exports:          []string{"main.main", "JNI_OnLoad", "ANativeActivity_onCreate", "Java_app_keva_AnswerReceiver_deliver"},
	// mcc, mnc, locale, touchscreen, keyboard, keyboardHidden, navigation, orientation, screenLayout, uiMode, screenSize,
	// smallestScreenSize, density, layoutDirection, colorMode, fontScale (android.content.pm.ActivityInfo)
	ConfigChanges: "0x40007fff",
	Shell:         20_000_000, Total: 270_000_000,
}
