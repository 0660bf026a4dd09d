const words = (text: string) => text.trim().split(/\s+/);

const filters = (kind: string, names: readonly string[]) => names.map((name) => `(${kind} "${name}")`).join(" ");

/** Facts about the machine that runtimes and compilers read at their start. */
const SYSCTL_NAMES = words(`
  hw.activecpu hw.busfrequency_compat hw.byteorder hw.cacheconfig hw.cachelinesize hw.cachelinesize_compat hw.cpufamily
  hw.cpufrequency hw.cpufrequency_compat hw.cputype hw.l1dcachesize_compat hw.l1icachesize_compat hw.l2cachesize_compat
  hw.l3cachesize_compat hw.logicalcpu hw.logicalcpu_max hw.machine hw.memsize hw.model hw.ncpu hw.nperflevels hw.packages
  hw.pagesize hw.pagesize_compat hw.physicalcpu hw.physicalcpu_max hw.tbfrequency_compat hw.vectorunit kern.argmax
  kern.bootargs kern.hostname kern.maxfiles kern.maxfilesperproc kern.maxproc kern.ngroups kern.osproductversion
  kern.osproductversioncompat kern.osrelease kern.ostype kern.osvariant_status kern.osversion kern.secure_kernel
  kern.tcsm_available kern.tcsm_enable kern.usrstack64 kern.version kern.willshutdown machdep.cpu.brand_string
  machdep.ptrauth_enabled security.mac.lockdown_mode_state sysctl.proc_cputype sysctl.proc_translated vm.loadavg
`);
const SYSCTL_PREFIXES = words("hw.optional.arm hw.perflevel kern.proc. machdep.cpu. net.routetable");

/**
 * System services without which ordinary programs do not start. Left out on purpose: trustd (verifies certificates for
 * Go, and fetches what they name), Apple events and Launch Services, which start programs outside the sandbox.
 */
const MACH_SERVICES = words(`
  com.apple.FontObjectsServer com.apple.PowerManagement.control com.apple.SecurityServer com.apple.bsd.dirhelper
  com.apple.cfprefsd.agent com.apple.cfprefsd.daemon com.apple.diagnosticd com.apple.fonts com.apple.logd
  com.apple.lsd.mapdb com.apple.securityd.xpc com.apple.system.logger com.apple.system.notification_center
  com.apple.system.opendirectoryd.libinfo com.apple.system.opendirectoryd.membership
`);

const DEVICES = words("/dev/null /dev/zero /dev/random /dev/urandom /dev/tty /dev/dtracehelper");

/** What every profile allows: to run programs, to see and signal its own processes, terminals, and facts about the machine. */
export const SEATBELT_BASICS: readonly string[] = [
  "(allow process-exec)",
  "(allow process-fork)",
  "(allow process-info* (target same-sandbox))",
  "(allow signal (target same-sandbox))",
  `(allow sysctl-read ${filters("sysctl-name", SYSCTL_NAMES)} ${filters("sysctl-name-prefix", SYSCTL_PREFIXES)})`,
  '(allow sysctl-write (sysctl-name "kern.tcsm_enable"))',
  `(allow mach-lookup ${filters("global-name", MACH_SERVICES)})`,
  "(allow ipc-posix-shm)",
  "(allow ipc-posix-sem)",
  '(allow iokit-open (iokit-registry-entry-class "RootDomainUserClient") (iokit-user-client-class "IOSurfaceSendRight"))',
  "(allow pseudo-tty)",
  `(allow file-ioctl ${filters("literal", [...DEVICES, "/dev/ptmx"])} (regex "^/dev/ttys"))`,
];

/** Devices that can be written without changing anything. */
export const SEATBELT_DEVICES = `${filters("literal", [...DEVICES, "/dev/ptmx", "/dev/stdout", "/dev/stderr"])} (regex "^/dev/ttys") (regex "^/dev/fd/")`;
