package sqe.jvm;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/** Files of web servers, by ranges. What a server gives only as a whole is kept on disk for a while. */
final class HttpSource extends RemoteSource {
  private static final int MOST_REDIRECTS = 5;
  private static final int TIMEOUT_MILLIS = 30_000;
  private static final long MOST_KEPT = 2L << 30;
  /** So long a copy is good for new statements, and so long it stays for those that have begun. */
  private static final long KEPT_MILLIS = 60_000;
  private static final long LONGEST_MILLIS = 3_600_000;

  private final FileAccess access;
  private final Map kept = new HashMap();

  HttpSource(FileAccess access) {
    this.access = access;
  }

  FileStatus status(Path path) throws IOException {
    HttpURLConnection answer = ask(address(path), "bytes=0-0");
    try {
      String range = answer.getHeaderField("Content-Range");
      long modified = answer.getLastModified();
      if (answer.getResponseCode() == 206 && range != null && range.matches(".*/[0-9]+")) {
        return file(path, Long.parseLong(range.substring(range.lastIndexOf('/') + 1)), modified);
      }
      if (answer.getResponseCode() == 416) {
        return file(path, 0, modified);
      }
      return file(path, keep(path, answer).length(), modified);
    } finally {
      answer.disconnect();
    }
  }

  FileStatus[] list(Path path) throws IOException {
    return new FileStatus[] {status(path)};
  }

  FSInputStream open(Path path) throws IOException {
    File whole = keptFile(path, Long.MAX_VALUE);
    return whole == null ? (FSInputStream) new HttpInput(this, address(path)) : new KeptInput(whole);
  }

  void close() {
    synchronized (kept) {
      for (Iterator files = kept.values().iterator(); files.hasNext(); ) {
        ((File) files.next()).delete();
      }
      kept.clear();
    }
  }

  private File keptFile(Path path, long youngerThan) {
    synchronized (kept) {
      File file = (File) kept.get(path);
      boolean fits = file != null && System.currentTimeMillis() - file.lastModified() < youngerThan;
      return fits && file.exists() ? file : null;
    }
  }

  private File keep(Path path, HttpURLConnection answer) throws IOException {
    File known = keptFile(path, KEPT_MILLIS);
    if (known != null) {
      return known;
    }
    forgetOld();
    // In the engine's scratch folder, which goes with the engine.
    File file = File.createTempFile("sqe-http-", ".part");
    boolean whole = false;
    try {
      copy(answer.getInputStream(), file);
      whole = true;
    } finally {
      if (!whole) {
        file.delete();
      }
    }
    synchronized (kept) {
      File before = (File) kept.put(path, file);
      if (before != null) {
        before.delete();
      }
    }
    return file;
  }

  private void forgetOld() {
    synchronized (kept) {
      for (Iterator files = kept.values().iterator(); files.hasNext(); ) {
        File file = (File) files.next();
        if (System.currentTimeMillis() - file.lastModified() > LONGEST_MILLIS) {
          file.delete();
          files.remove();
        }
      }
    }
  }

  private static void copy(InputStream in, File file) throws IOException {
    OutputStream out = new FileOutputStream(file);
    try {
      byte[] buffer = new byte[1 << 16];
      long total = 0;
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        total += count;
        if (total > MOST_KEPT) {
          throw new IOException("the server gives the file only as a whole, and it has more than 2 GB");
        }
        out.write(buffer, 0, count);
      }
    } finally {
      out.close();
    }
  }

  static String address(Path path) {
    return path.toUri().getScheme() + "://" + path.toUri().getAuthority() + path.toUri().getPath().replace(" ", "%20");
  }

  /** An answer with the bytes that were asked for, or more. The rules are asked about every step of the way. */
  HttpURLConnection ask(String address, String range) throws IOException {
    URL url = new URL(address);
    for (int steps = 0; steps <= MOST_REDIRECTS; steps++) {
      access.checkHost(url.getAuthority());
      HttpURLConnection connection = (HttpURLConnection) url.openConnection();
      connection.setInstanceFollowRedirects(false);
      connection.setConnectTimeout(TIMEOUT_MILLIS);
      connection.setReadTimeout(TIMEOUT_MILLIS);
      connection.setRequestProperty("Range", range);
      connection.setRequestProperty("Accept-Encoding", "identity");
      String token = HuggingFace.tokenFor(url.getAuthority());
      if (token != null) {
        connection.setRequestProperty("Authorization", "Bearer " + token);
      }
      int code = code(connection, url);
      String next = connection.getHeaderField("Location");
      if (code / 100 != 3 || next == null) {
        return checked(connection, code, url);
      }
      connection.disconnect();
      url = redirected(url, next);
    }
    throw new IOException("the host " + url.getHost() + " redirects without end");
  }

  private static int code(HttpURLConnection connection, URL url) throws IOException {
    try {
      return connection.getResponseCode();
    } catch (IOException problem) {
      throw new IOException("the host " + url.getAuthority() + " cannot be reached: " + problem.getMessage());
    }
  }

  private static URL redirected(URL from, String to) throws IOException {
    URL next = new URL(from, to);
    boolean web = next.getProtocol().equals("https") || next.getProtocol().equals("http");
    if (!web || (from.getProtocol().equals("https") && !next.getProtocol().equals("https"))) {
      throw new IOException("the host " + from.getHost() + " redirects to a place that is not safe");
    }
    return next;
  }

  private static HttpURLConnection checked(HttpURLConnection connection, int code, URL url) throws IOException {
    if (code == 404 || code == 410) {
      connection.disconnect();
      throw new FileNotFoundException("the host " + url.getAuthority() + " has no such file");
    }
    if (code != 416 && code / 100 != 2) {
      connection.disconnect();
      throw new IOException("the host " + url.getAuthority() + " answers " + code);
    }
    return connection;
  }
}
