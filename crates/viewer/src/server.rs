//! The web server: the page, the socket, recordings. It runs in threads of its own.

use crate::catalogue::Catalogue;
use crate::connections::accept;
use crate::guard::Guard;
use crate::recording::Shelf;
use crate::session::{Choice, GivenScene, Session};
use crate::shared::{Live, Log, Shared};
use crate::simulation::{Outlets, Published, Request, Simulation};
use crate::{client, page};
use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Path as UrlPath, Request as HttpRequest, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use pliant::World;
use pliant_scene::{OutputError, Scene, SceneError, Setup};
use serde_json::{Value, json};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::{Notify, broadcast, watch};

/// Requests that wait for the simulation at most.
const MAX_REQUESTS: usize = 1024;
/// Notices that a slow client may lag behind.
const MAX_NOTICES: usize = 256;
/// Message beyond which the connection is closed; smaller ones that are too long are only dropped.
const CLOSING_MESSAGE: usize = 1 << 20;

/// How a viewer is served.
#[derive(Clone, Debug)]
pub struct Options {
    /// Address to listen at; loopback serves this machine only.
    pub address: IpAddr,
    /// Port; 0 takes a free one.
    pub port: u16,
    /// Threads of the simulation; all cores if there is none.
    pub threads: Option<usize>,
    /// Whether the simulation waits to be played.
    pub paused: bool,
    /// Whether other pages of this machine, such as a notebook, may show the page in a frame.
    pub framed: bool,
    /// Where refusals are logged.
    pub log: Log,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            address: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            threads: None,
            paused: false,
            framed: false,
            log: Log::new(|_| {}),
        }
    }
}

/// Why nothing is shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewerError {
    /// The scene is bad.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The recording is bad.
    #[error(transparent)]
    Recording(#[from] OutputError),
    /// The port cannot be used.
    #[error("cannot listen at {address} ({cause}): choose another --port, or 0 for a free one")]
    Listen {
        /// Address and port.
        address: SocketAddr,
        /// What the system says.
        cause: io::Error,
    },
    /// The server cannot be started.
    #[error("the server could not start ({0}): free some memory or threads")]
    Start(#[source] io::Error),
    /// The threads of the simulation cannot be started.
    #[error("the thread pool could not start ({0}): use fewer threads")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// A running viewer. It ends when it is dropped.
#[derive(Debug)]
pub struct Viewer {
    address: SocketAddr,
    end: Arc<Notify>,
    requests: Option<SyncSender<Request>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Viewer {
    /// Shows a scene that is simulated.
    pub fn of_scene(choice: Choice, options: Options) -> Result<Viewer, ViewerError> {
        let scene = choice.scene.clone();
        Viewer::live(&scene, options, || Session::open(choice))
    }

    /// Shows a world of a scene from where it is. Started again it begins where the scene does.
    pub fn of_world(
        scene: &Scene,
        setup: Setup,
        world: World,
        options: Options,
    ) -> Result<Viewer, ViewerError> {
        let given = Some(GivenScene(Arc::new(scene.clone())));
        let choice = Choice { scene: scene.label().to_string(), given, ..Choice::default() };
        Viewer::live(scene.label(), options, || Ok(Session::of_world(choice, scene.clone(), setup, world)))
    }

    fn live(
        scene: &str,
        options: Options,
        open: impl FnOnce() -> Result<Session, SceneError> + Send,
    ) -> Result<Viewer, ViewerError> {
        let listener = listen(&options)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads.unwrap_or(0)).build()?;
        let (requests, inbox) = sync_channel(MAX_REQUESTS);
        let outlets = Outlets {
            published: watch::Sender::new(Published::default()),
            notices: broadcast::Sender::new(MAX_NOTICES),
            wanted: Arc::new(AtomicBool::new(true)),
        };
        let catalogue = Catalogue::around(scene);
        let hello = hello("live", &catalogue);
        let live = Live { outlets: outlets.clone(), requests: requests.clone() };
        let simulation = pool
            .install(|| open().map(|session| Simulation::new(session, catalogue, outlets, options.paused)))?;
        let thread = spawn("pliant-simulation", move || pool.install(|| simulation.run(inbox)))?;
        Viewer::serve(listener, options, hello, Some(live), None, vec![thread])
    }

    /// Shows the recording of a run in a folder.
    pub fn of_recording(directory: &Path, options: Options) -> Result<Viewer, ViewerError> {
        let shelf = Shelf::open(directory)?;
        let listener = listen(&options)?;
        let hello = hello("recording", &Catalogue::default());
        Viewer::serve(listener, options, hello, None, Some(shelf), Vec::new())
    }

    fn serve(
        listener: TcpListener,
        options: Options,
        hello: Value,
        live: Option<Live>,
        shelf: Option<Shelf>,
        mut threads: Vec<JoinHandle<()>>,
    ) -> Result<Viewer, ViewerError> {
        let address = listener.local_addr().map_err(ViewerError::Start)?;
        let requests = live.as_ref().map(|l| l.requests.clone());
        let guard = Guard { address: options.address };
        let next_client = AtomicU32::new(1);
        let framed = options.framed;
        let shared = Arc::new(Shared { guard, framed, hello, log: options.log, next_client, live, shelf });
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ViewerError::Start)?;
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener).map_err(ViewerError::Start)?
        };
        let end = Arc::new(Notify::new());
        let ended = end.clone();
        threads.push(spawn("pliant-server", move || {
            runtime.block_on(async move {
                let serving = accept(listener, router(shared));
                // Open sockets end with the runtime.
                tokio::select! { _ = serving => {}, () = ended.notified() => {} }
            });
        })?);
        Ok(Viewer { address, end, requests, threads: Mutex::new(threads) })
    }

    /// Where the page is.
    pub fn url(&self) -> String {
        let host = match self.address.ip() {
            ip if ip.is_unspecified() => IpAddr::from(Ipv4Addr::LOCALHOST),
            ip => ip,
        };
        format!("http://{}/", SocketAddr::new(host, self.address.port()))
    }

    /// Waits until the viewer ends.
    pub fn wait(&self) {
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // A thread that broke down has said so.
            let _ = thread.join();
        }
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        if let Some(requests) = self.requests.take() {
            let _ = requests.send(Request::Stop);
        }
        self.end.notify_one();
        self.wait();
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, ViewerError> {
    let thread = std::thread::Builder::new().name(name.into()).spawn(work);
    thread.map_err(ViewerError::Start)
}

fn listen(options: &Options) -> Result<TcpListener, ViewerError> {
    let address = SocketAddr::new(options.address, options.port);
    let bound = TcpListener::bind(address).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    bound.map_err(|cause| ViewerError::Listen { address, cause })
}

/// First message to every client.
fn hello(mode: &str, catalogue: &Catalogue) -> Value {
    let solver = |(kind, available): (&str, bool)| json!({ "kind": kind, "available": available });
    json!({
        "kind": "hello",
        "pliant": env!("CARGO_PKG_VERSION"),
        "mode": mode,
        "scenes": catalogue.listed().collect::<Vec<_>>(),
        "solvers": pliant_scene::solver_kinds().into_iter().map(solver).collect::<Vec<_>>(),
    })
}

fn router(shared: Arc<Shared>) -> Router {
    let file =
        |kind: &'static str, text: &'static str| get(move || async move { ([(CONTENT_TYPE, kind)], text) });
    Router::new()
        .route("/", file("text/html; charset=utf-8", page::HTML))
        .route("/viewer.js", file("text/javascript; charset=utf-8", page::SCRIPT))
        .route("/viewer.css", file("text/css; charset=utf-8", page::STYLE))
        .route("/socket", get(socket))
        .route("/recording/head", get(recording_head))
        .route("/recording/index", get(recording_index))
        .route("/recording/frame/{index}", get(recording_frame))
        .fallback(|| async { (StatusCode::NOT_FOUND, "There is nothing here.\n") })
        .layer(from_fn_with_state(shared.clone(), guarded))
        .with_state(shared)
}

/// Refuses requests under a foreign name, and makes browsers careful with the answer.
async fn guarded(State(shared): State<Arc<Shared>>, request: HttpRequest, next: Next) -> Response {
    if !shared.guard.allows_host(request.headers()) {
        let host = request.headers().get(axum::http::header::HOST);
        shared.log(&format!("refused a request for the host {host:?}"));
        return (StatusCode::FORBIDDEN, "This server answers to its own address only.\n").into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    set(CONTENT_SECURITY_POLICY, if shared.framed { page::FRAMED_POLICY } else { page::POLICY });
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(REFERRER_POLICY, "no-referrer");
    set(CACHE_CONTROL, "no-store");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    response
}

async fn socket(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    if !shared.guard.allows_origin(&headers) {
        let origin = headers.get(axum::http::header::ORIGIN);
        shared.log(&format!("refused a socket of the origin {origin:?}"));
        return (StatusCode::FORBIDDEN, "Sockets are for pages of this server only.\n").into_response();
    }
    match upgrade {
        Ok(upgrade) => upgrade
            .max_message_size(CLOSING_MESSAGE)
            .max_frame_size(CLOSING_MESSAGE)
            .on_upgrade(move |socket| client::serve(socket, shared)),
        Err(e) => e.into_response(),
    }
}

const BYTES: [(HeaderName, &str); 1] = [(CONTENT_TYPE, "application/octet-stream")];

async fn recording_head(State(shared): State<Arc<Shared>>) -> Response {
    match &shared.shelf {
        Some(shelf) => (BYTES, shelf.head()).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn recording_index(State(shared): State<Arc<Shared>>) -> Response {
    match &shared.shelf {
        Some(shelf) => ([(CONTENT_TYPE, "application/json")], shelf.index()).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn recording_frame(State(shared): State<Arc<Shared>>, UrlPath(index): UrlPath<usize>) -> Response {
    let Some(shelf) = &shared.shelf else { return StatusCode::NOT_FOUND.into_response() };
    match shelf.frame(index) {
        Ok(Some(bytes)) => (BYTES, bytes).into_response(),
        Ok(None) => StatusCode::NOT_FOUND.into_response(),
        Err(e) => {
            shared.log(&e.to_string());
            (StatusCode::INTERNAL_SERVER_ERROR, format!("{e}\n")).into_response()
        }
    }
}
