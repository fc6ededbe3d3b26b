//! Variables that scripts have for programs, and nobody sets in the text.

/// Returns the program that a variable with this name usually means, though it isn't set here:
/// `$GIT push`.
pub(super) fn program_of_variable(text: &str) -> Option<&'static str> {
    let name = text.strip_prefix('$')?;
    let name = name
        .strip_prefix('{')
        .and_then(|it| it.strip_suffix('}'))
        .unwrap_or(name);
    Some(match name {
        "GIT" => "git",
        "DOCKER" => "docker",
        "KUBECTL" => "kubectl",
        "TERRAFORM" => "terraform",
        "PYTHON" | "PYTHON3" => "python3",
        "NODE" => "node",
        "NPM" => "npm",
        "HELM" => "helm",
        "PSQL" => "psql",
        "AWS" => "aws",
        "GCLOUD" => "gcloud",
        "RM" => "rm",
        "SUDO" => "sudo",
        _ => return None,
    })
}
