interface Props {
  id: string;
  set: (value: unknown) => void;
}

/** A file whose bytes are the value, in base64. */
export function FileField({ set, ...attributes }: Props) {
  const read = async (file: File | undefined) => set(file && base64(new Uint8Array(await file.arrayBuffer())));
  return (
    <input
      {...attributes}
      className="input"
      type="file"
      onChange={(event) => void read(event.currentTarget.files?.[0])}
    />
  );
}

const chunk = 32_768;

/** In chunks, because a call takes a bounded number of arguments. */
function base64(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += chunk)
    text += String.fromCharCode(...bytes.subarray(start, start + chunk));
  return btoa(text);
}
