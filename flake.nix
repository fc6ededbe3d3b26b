{
  description = "A hook engine for coding agents, and an agent that obeys it";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forAll = build: nixpkgs.lib.genAttrs systems (system: build nixpkgs.legacyPackages.${system});
      manifest = (nixpkgs.lib.importTOML ./Cargo.toml).workspace.package;
    in
    {
      packages = forAll (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "hookloop";
          inherit (manifest) version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "--package=hookloop" ];
          buildFeatures = [ "plugins" ];
          # The tests need a terminal, shells and loopback servers: `.ci/run` runs them.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            $out/bin/hookloop man --dir man
            installManPage man/*.1
            installShellCompletion --cmd hookloop \
              --bash <($out/bin/hookloop completions bash) \
              --zsh <($out/bin/hookloop completions zsh) \
              --fish <($out/bin/hookloop completions fish)
          '';
          meta = {
            description = "Hook engine for coding agents, and an agent that obeys it";
            license = pkgs.lib.licenses.asl20;
            mainProgram = "hookloop";
          };
        };
      });
    };
}
