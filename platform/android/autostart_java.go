//go:build android || jvmtest

package android

import "errors"

// OpenPage shows a manufacturer's page. Many phones do not have all of them: an error says so.
func OpenPage(p Page) error {
	return run(func(t *thread) {
		i := t.create(intent + "<init>()V")
		t.object(i, intent+"setClassName(Ljava/lang/String;Ljava/lang/String;)"+itself, p.Package, p.Activity)
		t.start(i)
	})
}

// OpenAutostart shows the first page of this manufacturer that is there. Where there is none, it shows Android's page
// about the app, and reports known as false.
func OpenAutostart(manufacturer string) (known bool, err error) {
	var tried []error
	for _, p := range AutostartPages(manufacturer) {
		err := OpenPage(p)
		if err == nil {
			return true, nil
		}
		tried = append(tried, err)
	}
	if err := OpenAppSettings(); err != nil {
		return false, errors.Join(append(tried, err)...)
	}
	return false, nil
}
