/** A sentence of the graph's descriptions: what stands between backticks is code. */
export const HelpText = ({ text }: { text: string }) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
