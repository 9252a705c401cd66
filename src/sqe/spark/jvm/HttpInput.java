package sqe.jvm;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import org.apache.hadoop.fs.FSInputStream;

/** A file of a web server that gives ranges; a connection lasts until the reader jumps. */
final class HttpInput extends FSInputStream {
  private static final int NEAR = 1 << 17;

  private final HttpSource source;
  private final String address;
  private HttpURLConnection connection;
  private InputStream in;
  private long place;
  private long wanted;

  HttpInput(HttpSource source, String address) {
    this.source = source;
    this.address = address;
  }

  public void seek(long target) throws IOException {
    if (target < 0) {
      throw new EOFException("before the beginning");
    }
    wanted = target;
  }

  public long getPos() {
    return wanted;
  }

  public boolean seekToNewSource(long target) {
    return false;
  }

  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 255;
  }

  public int read(byte[] bytes, int start, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    reach();
    int count = in == null ? -1 : in.read(bytes, start, length);
    if (count > 0) {
      place += count;
      wanted = place;
    }
    return count;
  }

  /** Has the connection stand where the reader wants to go on. */
  private void reach() throws IOException {
    if (connection != null && wanted > place && wanted - place <= NEAR && in != null) {
      long skipped = 1;
      while (place < wanted && skipped > 0) {
        skipped = in.skip(wanted - place);
        place += skipped;
      }
    }
    if (connection != null && place == wanted) {
      return;
    }
    close();
    connection = source.ask(address, "bytes=" + wanted + "-");
    int code = connection.getResponseCode();
    if (code != 206 && code != 416) {
      throw new IOException("the server gave a range of the file before and does not any more");
    }
    in = code == 206 ? connection.getInputStream() : null;
    place = wanted;
  }

  public void close() {
    if (connection != null) {
      connection.disconnect();
      connection = null;
      in = null;
    }
  }
}
