/** The methods that nodes can send. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Returns the method in upper case, with the reason if nodes cannot send it. */
export function readMethod(written: string): { method: string; fault?: string } {
  const method = written.toUpperCase();
  return methods.includes(method)
    ? { method }
    : { method: method.slice(0, 20), fault: `Its method is none of those that nodes send: ${methods.join(', ')}.` };
}
