package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.async.Futures;
import dev.colonnade.server.base.async.Then;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.SimpleChannelInboundHandler;
import io.grpc.netty.shaded.io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaderNames;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaderValues;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpMethod;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpObject;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpRequest;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpResponseStatus;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpUtil;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpVersion;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import io.grpc.netty.shaded.io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of {@link OpsHttpServer}. Each request is answered before the next one is read. On
 * its event loop.
 */
final class OpsConnection extends SimpleChannelInboundHandler<HttpObject> {

  private static final Logger LOG = LoggerFactory.getLogger(OpsConnection.class);
  private static final SparseLog FAILURES = new SparseLog(SparseLog.PERIOD);

  private final List<OpsPage> pages;
  private final PageAccess access;
  private final OpsHttpServer.HttpLimits limits;
  private final Executor slowPages;
  private final ConnectionGate gate;

  /** Ends the connection if the expected data does not arrive. */
  private @Nullable ScheduledFuture<?> deadline;

  private boolean answering;

  OpsConnection(
      List<OpsPage> pages,
      PageAccess access,
      OpsHttpServer.HttpLimits limits,
      Executor slowPages,
      ConnectionGate gate) {
    this.pages = pages;
    this.access = access;
    this.limits = limits;
    this.slowPages = slowPages;
    this.gate = gate;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    awaitRequest(context);
    context.fireChannelActive();
  }

  /** Until a whole request has arrived, this connection may be closed to make room. */
  private void awaitRequest(ChannelHandlerContext context) {
    answering = false;
    gate.isSilent(context.channel());
    restartDeadline(context);
  }

  private void restartDeadline(ChannelHandlerContext context) {
    stopDeadline();
    deadline =
        context
            .executor()
            .schedule(() -> close(context), limits.requestLimit().toNanos(), TimeUnit.NANOSECONDS);
  }

  private void stopDeadline() {
    ScheduledFuture<?> running = deadline;
    if (running != null) {
      running.cancel(false);
      deadline = null;
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, HttpObject part) {
    if (part.decoderResult().isFailure()) {
      answer(
          context, OpsPage.PageAnswer.text(400, "this is not an HTTP/1.1 request\n"), false, false);
      return;
    }
    if (answering) {
      // A body, which no page accepts, or a request that does not wait for its turn.
      if (part instanceof HttpRequest) {
        close(context);
      }
      return;
    }
    if (part instanceof HttpRequest request) {
      answering = true;
      // Only now, since half a request is worth nothing.
      gate.speaks(context.channel());
      boolean withBody =
          HttpUtil.isTransferEncodingChunked(request) || HttpUtil.getContentLength(request, 0L) > 0;
      route(context, request, HttpUtil.isKeepAlive(request) && !withBody);
    }
  }

  private void route(ChannelHandlerContext context, HttpRequest request, boolean keepAlive) {
    boolean head = request.method().equals(HttpMethod.HEAD);
    if (!head && !request.method().equals(HttpMethod.GET)) {
      answer(
          context,
          OpsPage.PageAnswer.text(405, "only GET and HEAD are answered here\n"),
          head,
          false);
      return;
    }
    String uri = request.uri();
    int query = uri.indexOf('?');
    String path = query < 0 ? uri : uri.substring(0, query);
    OpsPage page =
        pages.stream().filter(known -> known.path().equals(path)).findFirst().orElse(null);
    if (page == null) {
      String paths = pages.stream().map(OpsPage::path).collect(Collectors.joining(", "));
      answer(
          context,
          OpsPage.PageAnswer.text(404, "not found; there are " + paths + "\n"),
          head,
          keepAlive);
    } else if (page.audience() == OpsPage.Audience.EVERYONE) {
      make(context, page, asked(context, path, request), head, keepAlive);
    } else {
      afterCheck(context, page, asked(context, path, request), head, keepAlive);
    }
  }

  /** Answers once it is known whether the caller may see the page. */
  private void afterCheck(
      ChannelHandlerContext context,
      OpsPage page,
      OpsPage.PageRequest request,
      boolean head,
      boolean keepAlive) {
    Then.whenDone(
        Then.called(() -> access.refusal(request)),
        (refusal, failure) ->
            context
                .executor()
                .execute(
                    () -> {
                      if (failure != null) {
                        answer(context, failed(page, failure), head, false);
                      } else if (refusal.isPresent()) {
                        answer(context, refusal.get(), head, keepAlive);
                      } else {
                        make(context, page, request, head, keepAlive);
                      }
                    }));
  }

  private void make(
      ChannelHandlerContext context,
      OpsPage page,
      OpsPage.PageRequest request,
      boolean head,
      boolean keepAlive) {
    if (page.cost() == OpsPage.Cost.QUICK) {
      answer(context, render(page, request), head, keepAlive);
      return;
    }
    try {
      slowPages.execute(
          () -> {
            OpsPage.PageAnswer made = render(page, request);
            context.executor().execute(() -> answer(context, made, head, keepAlive));
          });
    } catch (RejectedExecutionException full) {
      answer(
          context,
          OpsPage.PageAnswer.text(503, "too many requests for this page; try again later\n"),
          head,
          false);
    }
  }

  private static OpsPage.PageRequest asked(
      ChannelHandlerContext context, String path, HttpRequest request) {
    SslHandler tls = context.pipeline().get(SslHandler.class);
    return new OpsPage.PageRequest(
        path,
        request.headers().get(HttpHeaderNames.HOST, ""),
        request.headers().get(HttpHeaderNames.ACCEPT, ""),
        request.headers().get(HttpHeaderNames.AUTHORIZATION, ""),
        context.channel().remoteAddress() instanceof InetSocketAddress from
            ? from.getAddress().getHostAddress()
            : "",
        tls == null ? Optional.empty() : Optional.of(tls.engine().getSession()));
  }

  private static OpsPage.PageAnswer render(OpsPage page, OpsPage.PageRequest request) {
    try {
      return page.render().apply(request);
    } catch (RuntimeException | Error e) {
      return failed(page, e);
    }
  }

  /** A prober needs an answer most when something is wrong. */
  private static OpsPage.PageAnswer failed(OpsPage page, Throwable cause) {
    FAILURES.report(
        silently ->
            LOG.error("Answering {} failed{}", page.path(), SparseLog.andMore(silently), cause));
    return OpsPage.PageAnswer.text(
        500, "the page could not be generated; the node's log says why\n");
  }

  private void answer(
      ChannelHandlerContext context, OpsPage.PageAnswer answer, boolean head, boolean keepAlive) {
    answering = true;
    DefaultFullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(answer.status()),
            head ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(answer.body()));
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, answer.contentType())
        .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE)
        .set(HttpHeaderNames.CONTENT_LENGTH, answer.body().length);
    answer.headers().forEach((name, value) -> response.headers().set(name, value));
    if (answer.status() == 405) {
      response.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
    }
    if (!keepAlive) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
    restartDeadline(context);
    Futures.ignore(
        context
            .writeAndFlush(response)
            .addListener(
                written -> {
                  if (keepAlive && written.isSuccess()) {
                    awaitRequest(context);
                  } else {
                    close(context);
                  }
                }));
  }

  private static void close(ChannelHandlerContext context) {
    Futures.ignore(context.close());
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    stopDeadline();
    context.fireChannelInactive();
  }

  /** A broken connection is not worth reporting. */
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    LOG.debug("an HTTP connection broke", cause);
    close(context);
  }
}
