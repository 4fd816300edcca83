//! Finds libengine.so.1: in LIBENGINE_FOLDER, in bundled/ of this package, by pkg-config, else where the linker looks.
use std::{env, path::PathBuf, process::Command};

fn installed() -> Option<PathBuf> {
    let found = Command::new("pkg-config").args(["--variable=libdir", "engine"]).output().ok()?;
    Some(PathBuf::from(String::from_utf8(found.stdout).ok()?.trim()))
}

fn main() {
    println!("cargo::rerun-if-env-changed=LIBENGINE_FOLDER");
    let named = env::var_os("LIBENGINE_FOLDER").map(PathBuf::from);
    let bundled = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("bundled");
    let places = [named, Some(bundled), installed()];
    if let Some(folder) = places.into_iter().flatten().find(|folder| folder.join("libengine.so.1").exists()) {
        println!("cargo::rustc-link-search=native={}", folder.display());
        println!("cargo::rustc-link-arg=-Wl,-rpath,{}", folder.display()); // of tests; the user's build sets its own
        println!("cargo::rustc-env=LIBENGINE_WEIGHTS={}", folder.join("default.weights").display());
        println!("cargo::metadata=folder={}", folder.display()); // DEP_ENGINE_FOLDER of the user's build.rs
    }
    println!("cargo::rustc-link-lib=dylib:+verbatim=libengine.so.1");
}
