package sqe.jvm;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Batches of one partition that wait on the disk; one task appends, one reader reads in the same order. */
final class SpillFile {
  private final Path path;
  private final FileChannel channel;
  private long written;
  private long read;

  SpillFile(Path path) throws IOException {
    this.path = path;
    this.channel =
        FileChannel.open(
            path,
            new OpenOption[] {StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE});
  }

  void append(byte[] batch) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(batch);
    while (buffer.hasRemaining()) {
      written += channel.write(buffer, written);
    }
  }

  byte[] next(int length) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(length);
    while (buffer.hasRemaining()) {
      int count = channel.read(buffer, read);
      if (count < 0) {
        throw new EOFException(path.toString());
      }
      read += count;
    }
    return buffer.array();
  }

  void close() {
    try {
      channel.close();
      Files.deleteIfExists(path);
    } catch (IOException ignored) {
      // The folder goes with the engine.
    }
  }
}
