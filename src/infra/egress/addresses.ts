import ipaddr from 'ipaddr.js';

/** Everything the internet routes today. What lies outside (ULA, link-local, mapped, NAT64, ...) is not a public host. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Public by the registry, private by use: the platform service of one large cloud answers there with credentials. */
const metadataHosts = new Set(['168.63.129.16']);

/** ISATAP hides an IPv4 address in the interface id: `...:0:5efe:a.b.c.d` or `...:200:5efe:a.b.c.d`. */
const isIsatap = (parts: number[]): boolean => parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);

/**
 * Whether an IP address is a public unicast one. Transition addresses that carry an IPv4 address (mapped, compatible,
 * 6to4, Teredo, NAT64, ISATAP) are never public here: where they lead is decided by a gateway that we do not see.
 */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.parse(address);
  if (ip.range() !== 'unicast') return false;
  if (ip instanceof ipaddr.IPv6) return ip.match(globalUnicast) && !isIsatap(ip.parts);
  return !metadataHosts.has(ip.toString());
};

/** One spelling for each address, so that two can be compared: `::ffff:127.0.0.1` is `127.0.0.1`. */
export const canonicalAddress = (address: string): string => ipaddr.process(address).toString();

/** Whether a URL's hostname, without brackets, is an IP address rather than a name. */
export const isAddress = (hostname: string): boolean => ipaddr.isValid(hostname);
