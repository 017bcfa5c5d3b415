package project

import (
	"path"
	"strings"
)

// elsewhere finds the module that from dotted import name leads to where no folder above the importing file has it: a
// script may have put other folders on the search path (PYTHONPATH=src/utils:src/model). It is the one module of that
// name that binds what is imported; if there are several, none is chosen.
func (p *Project) elsewhere(m *Module, dotted, name string) place {
	if first := firstOf(dotted); !p.tops[first] || wellKnown[first] || standard[first] {
		return place{}
	}
	var only *Module
	for _, other := range p.ends[path.Base(strings.ReplaceAll(dotted, ".", "/"))] {
		key := "/" + strings.TrimSuffix(slashed(other.Path), path.Ext(other.Path))
		if other == m || !strings.HasSuffix(key, "/"+strings.ReplaceAll(dotted, ".", "/")) || other.bound(name) == nil {
			continue
		}
		if only != nil {
			return place{}
		}
		only = other
	}
	return place{module: only}
}

// binds reports whether a module or a folder has something of that name, as far as can be seen.
func (p *Project) binds(at place, name string) bool {
	m := at.module
	return m != nil && (m.bound(name) != nil || len(m.stars) > 0 || m.executes) || at.folder != "" && p.inFolder(at.folder, name).found()
}

// standard are the modules that come with Python; a project file in another folder does not replace them.
var standard = setOf(strings.Fields(
	`abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins bz2
	cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent
	configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal
	difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput
	fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq
	hmac html http imaplib imghdr imp importlib inspect io ipaddress itertools json keyword linecache locale
	logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis
	nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools
	pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc
	pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors
	shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile
	sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symtable sys sysconfig
	syslog tabnanny tarfile telnetlib tempfile termios textwrap threading time timeit tkinter token tokenize
	tomllib trace traceback tracemalloc tty turtle types typing unicodedata unittest urllib uu uuid venv warnings
	wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo`)...)
