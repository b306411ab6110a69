package msg

var catalogDashboard = [...]entry{
	{"dashboard.dashboard_only_shows",
		"This dashboard is read-only.",
		"このダッシュボードは表示専用である。"},
	{"dashboard.decision_cannot_read",
		"The decision cannot be read.",
		"判断を読み取れない。"},
	{"dashboard.reload_the_page",
		"Reload the page.",
		"ページを読み込み直す。"},
	{"dashboard.send_number_from",
		"Send a number of 1 or more.",
		"1 以上の数を送る。"},
	{"dashboard.session_cannot_read",
		"Session %s cannot be read: %s.",
		"セッション %[1]s を読めない: %[2]s。"},
}
