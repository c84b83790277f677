//go:build android || jvmtest

package android

import "time"

// ReadDevice says where the app runs. What can't be read is an error, not an empty value.
func ReadDevice() (Device, error) {
	var d Device
	err := run(func(t *thread) {
		path := func(file object) string { return t.text(file, "java/io/File.getAbsolutePath()Ljava/lang/String;") }
		d.Files = path(t.object(t.ctx, "android/content/Context.getFilesDir()Ljava/io/File;"))
		d.Cache = path(t.object(t.ctx, "android/content/Context.getCacheDir()Ljava/io/File;"))
		d.Package = t.text(t.ctx, "android/content/Context.getPackageCodePath()Ljava/lang/String;")
		app := t.object(t.ctx, "android/content/Context.getApplicationInfo()Landroid/content/pm/ApplicationInfo;")
		if t.err == nil {
			d.NativeLibraries = t.goString(object(t.field(app, "android/content/pm/ApplicationInfo.nativeLibraryDir Ljava/lang/String;")))
			d.UID = int(t.field(app, "android/content/pm/ApplicationInfo.uid I")) //nolint:gosec // a user id
		}
		pm := t.object(t.ctx, "android/content/Context.getPackageManager()Landroid/content/pm/PackageManager;")
		info := t.object(pm, "android/content/pm/PackageManager.getPackageInfo(Ljava/lang/String;I)Landroid/content/pm/PackageInfo;", t.packageName(), 0)
		if t.err == nil {
			d.Version = t.goString(object(t.field(info, "android/content/pm/PackageInfo.versionName Ljava/lang/String;")))
			d.VersionCode = t.long(info, "android/content/pm/PackageInfo.getLongVersionCode()J")
		}
		build := func(field string) object { return object(t.field(0, field)) }
		d.SDK = t.sdk()
		d.Release = t.goString(build("android/os/Build$VERSION.RELEASE Ljava/lang/String;"))
		d.Manufacturer = t.goString(build("android/os/Build.MANUFACTURER Ljava/lang/String;"))
		d.Model = t.goString(build("android/os/Build.MODEL Ljava/lang/String;"))
		d.ABIs = t.goStrings(build("android/os/Build.SUPPORTED_ABIS [Ljava/lang/String;"))
	})
	return d, err
}

// ReadMemory says how much memory the phone has left.
func ReadMemory() (Memory, error) {
	var m Memory
	err := run(func(t *thread) {
		info := t.create("android/app/ActivityManager$MemoryInfo.<init>()V")
		t.void(t.service("activity"), "android/app/ActivityManager.getMemoryInfo(Landroid/app/ActivityManager$MemoryInfo;)V", info)
		if t.err != nil {
			return
		}
		m.Total = int64(t.field(info, "android/app/ActivityManager$MemoryInfo.totalMem J"))      //nolint:gosec // Java's long
		m.Available = int64(t.field(info, "android/app/ActivityManager$MemoryInfo.availMem J"))  //nolint:gosec // Java's long
		m.Threshold = int64(t.field(info, "android/app/ActivityManager$MemoryInfo.threshold J")) //nolint:gosec // Java's long
		m.Low = t.field(info, "android/app/ActivityManager$MemoryInfo.lowMemory Z") != 0
	})
	return m, err
}

// Exits says why earlier processes of the app ended, newest first, at most max. known is false before Android 11, which
// keeps no record.
func Exits(max int) (list []Exit, known bool, err error) {
	err = run(func(t *thread) {
		if t.sdk() < 30 || t.err != nil {
			return
		}
		known = true
		all := t.object(t.service("activity"),
			"android/app/ActivityManager.getHistoricalProcessExitReasons(Ljava/lang/String;II)Ljava/util/List;", t.packageName(), 0, max)
		for _, o := range t.list(all) {
			list = append(list, Exit{
				When:        time.UnixMilli(t.long(o, "android/app/ApplicationExitInfo.getTimestamp()J")),
				PID:         t.int(o, "android/app/ApplicationExitInfo.getPid()I"),
				Process:     t.text(o, "android/app/ApplicationExitInfo.getProcessName()Ljava/lang/String;"),
				Reason:      ExitReason(t.int(o, "android/app/ApplicationExitInfo.getReason()I")),
				Status:      t.int(o, "android/app/ApplicationExitInfo.getStatus()I"),
				Description: t.text(o, "android/app/ApplicationExitInfo.getDescription()Ljava/lang/String;"),
				RSS:         t.long(o, "android/app/ApplicationExitInfo.getRss()J") * 1024,
			})
		}
	})
	return list, known && err == nil, err
}

// PhantomMonitor says whether Android ends children of apps when all apps have more than 32.
func PhantomMonitor() (Monitor, error) {
	m := MonitorUnknown
	err := run(func(t *thread) {
		if t.sdk() < 31 {
			if t.err == nil {
				m = MonitorNone
			}
			return
		}
		value := t.goString(t.static("android/provider/Settings$Global.getString(Landroid/content/ContentResolver;Ljava/lang/String;)Ljava/lang/String;",
			t.resolver(), "settings_enable_monitor_phantom_procs"))
		if t.err != nil {
			return
		}
		switch value {
		case "", "true", "1": // unset is on
			m = MonitorOn
		case "false", "0":
			m = MonitorOff
		}
	})
	return m, err
}
