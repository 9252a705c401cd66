package sqe.jvm;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import org.apache.hadoop.fs.FSInputStream;

/** A copy on disk of a file far away. */
final class KeptInput extends FSInputStream {
  private final RandomAccessFile file;

  KeptInput(File file) throws IOException {
    this.file = new RandomAccessFile(file, "r");
  }

  public void seek(long place) throws IOException {
    file.seek(place);
  }

  public long getPos() throws IOException {
    return file.getFilePointer();
  }

  public boolean seekToNewSource(long place) {
    return false;
  }

  public int read() throws IOException {
    return file.read();
  }

  public int read(byte[] bytes, int start, int length) throws IOException {
    return file.read(bytes, start, length);
  }

  public void close() throws IOException {
    file.close();
  }
}
