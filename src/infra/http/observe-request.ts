/** Called for each request once it is answered; `route` is the pattern of its URL. */
export type ObserveRequest = (labels: { method: string; route: string; status: number }, elapsedMs: number) => void;
