package io.ocicat.cri.streaming;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * The client of a process, whichever protocol it speaks. Each stream is used by one thread. Outputs
 * that were not asked for discard what is written.
 */
interface ProcessPeer {
  InputStream stdin();

  /** JSON objects with the width and height of the client's terminal, one after the other. */
  InputStream resizes();

  OutputStream stdout();

  OutputStream stderr();

  /** Ends the outputs and says how the process ended. */
  void finish(ProcessOutcome outcome) throws IOException;
}
