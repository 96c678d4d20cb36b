/** A video of the view, by any encoder that the browser has. */
const KINDS = [
  { type: 'video/mp4;codecs=avc1.42E01E', ending: 'mp4' },
  { type: 'video/webm;codecs=vp9', ending: 'webm' },
  { type: 'video/webm;codecs=vp8', ending: 'webm' },
  { type: 'video/webm', ending: 'webm' },
];

export class VideoRecorder {
  private recorder: MediaRecorder | null = null;

  constructor(private readonly canvas: HTMLCanvasElement) {}

  get running(): boolean {
    return this.recorder !== null;
  }

  /** done: called with the video and its file extension once the recording has stopped. */
  start(done: (video: Blob, ending: string) => void): void {
    const kind = KINDS.find((k) => MediaRecorder.isTypeSupported(k.type));
    if (kind === undefined) throw new Error('this browser has no encoder for videos');
    const recorder = new MediaRecorder(this.canvas.captureStream(60), {
      mimeType: kind.type,
      videoBitsPerSecond: 12e6,
    });
    const parts: Blob[] = [];
    recorder.ondataavailable = (event) => parts.push(event.data);
    recorder.onstop = () => done(new Blob(parts, { type: kind.type }), kind.ending);
    recorder.start(1000);
    this.recorder = recorder;
  }

  stop(): void {
    this.recorder?.stop();
    this.recorder = null;
  }
}
