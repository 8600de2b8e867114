/** The methods that nodes send. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** The method in upper case, and why it cannot be sent if it cannot. */
export function readMethod(written: string): { method: string; fault?: string } {
  const method = written.toUpperCase();
  return methods.includes(method)
    ? { method }
    : { method: method.slice(0, 20), fault: `Its method is none of those that nodes send: ${methods.join(', ')}.` };
}
