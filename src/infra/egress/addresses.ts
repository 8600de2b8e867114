import ipaddr from 'ipaddr.js';

/** All of today's global unicast space. Addresses outside it (ULA, link-local, mapped, NAT64, ...) are not public hosts. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Registered as public but used privately: Azure's platform service answers there with credentials. */
const metadataHosts = new Set(['168.63.129.16']);

/** ISATAP embeds an IPv4 address in the interface id: `...:0:5efe:a.b.c.d` or `...:200:5efe:a.b.c.d`. */
const isIsatap = (parts: number[]): boolean => parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);

/**
 * True if an IP address is public unicast. Transition addresses that carry an IPv4 address (mapped, compatible, 6to4, Teredo, NAT64,
 * ISATAP) never count as public: a gateway that we do not see decides where they lead.
 */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.parse(address);
  if (ip.range() !== 'unicast') return false;
  if (ip instanceof ipaddr.IPv6) return ip.match(globalUnicast) && !isIsatap(ip.parts);
  return !metadataHosts.has(ip.toString());
};

/** The canonical spelling of an address, for comparison: `::ffff:127.0.0.1` is `127.0.0.1`. */
export const canonicalAddress = (address: string): string => ipaddr.process(address).toString();

/** True if a URL's hostname, without brackets, is an IP address rather than a name. */
export const isAddress = (hostname: string): boolean => ipaddr.isValid(hostname);
